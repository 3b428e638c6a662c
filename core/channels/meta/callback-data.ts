/** Our id of a message, as a call to Meta carries it, and as statuses and echoes give it back. */
export interface CallbackData {
  messageId: number;
  /** A further part of the message follows. */
  hasMore: boolean;
}

/** Text for `metadata` or `biz_opaque_callback_data`. The first of two parts ends in `.0`. */
export function writeCallbackData({ messageId, hasMore }: CallbackData): string {
  return hasMore ? `${messageId}.0` : String(messageId);
}

/** @returns null for the text of another program */
export function readCallbackData(text: string | null): CallbackData | null {
  const [, id, more] = /^(\d{1,15})(\.0)?$/u.exec(text ?? "") ?? [];
  return id === undefined ? null : { messageId: Number(id), hasMore: more !== undefined };
}
