import type { TFunction } from "i18next";
import type { MessageType } from "../../../core/model/message.ts";

/** The preview of a message. One without text has its type in brackets, which no person reads. */
export function previewWords(
  t: TFunction,
  { type, preview }: { type: MessageType; preview: string },
): string {
  return preview === `[${type}]` ? t(`message_type.${type}`) : preview;
}
