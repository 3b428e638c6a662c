import type { FileKind } from "../../core/channels/meta/send-request.ts";
import type { AttachmentKind } from "../../core/model/attachment.ts";

/** @throws Error for a sticker: our bug, because nobody sends one */
export function fileKindOf(kind: AttachmentKind): FileKind {
  if (kind === "sticker") throw new Error("No message with a sticker is sent.");
  return kind;
}
