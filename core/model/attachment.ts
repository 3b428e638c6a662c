/** Kinds of a file that a message carries. */
export const attachmentKinds = ["image", "audio", "video", "document", "sticker"] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/**
 * States of a file. It is `pending` until it is stored, then `ready`. `refused` did not pass a
 * check, `expired` is gone at the network, and `erased` was deleted here.
 */
export const attachmentStates = [
  "pending",
  "ready",
  "failed",
  "refused",
  "expired",
  "erased",
] as const;
export type AttachmentState = (typeof attachmentStates)[number];
