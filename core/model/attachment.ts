import { z } from "zod";
import { recordId, timestamp } from "./wire.ts";

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

/** A file of a message. */
export const attachmentView = z.strictObject({
  id: recordId.nullable().describe("Null for a file that was sent by its `media_url`."),
  kind: z.enum(attachmentKinds),
  state: z.enum(attachmentStates).describe("`pending` until the file is stored, then `ready`."),
  mime_type: z.string().nullable(),
  size: z.int().min(0).nullable().describe("Bytes."),
  filename: z.string().nullable(),
  voice: z.boolean().describe("The customer spoke it into the phone."),
  url: z.string().nullable().describe("Null unless the state is `ready`."),
  thumbnail_url: z.string().nullable(),
});
export type AttachmentView = z.output<typeof attachmentView>;

/** The customer's reaction to a message. */
export const reactionView = z.strictObject({
  emoji: z.string(),
  sender_type: z.literal("contact"),
  created_at: timestamp,
});
export type ReactionView = z.output<typeof reactionView>;
