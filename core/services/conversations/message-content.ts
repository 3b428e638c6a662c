import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { GraphTemplate } from "../../channels/meta/template-message.ts";
import { describeRefusal, isLinked } from "../../model/media.ts";
import type { ChannelDriver } from "../../model/channels.ts";
import type { MessageError } from "../../model/message.ts";
import type { SendOutcome } from "../../model/workflow/sending.ts";
import { findSentFile } from "./outgoing-files.ts";
import { openTemplate } from "./template-messages.ts";

/** A file of a message that is about to go. */
export type SentFile = Pick<MessageMedia, "id" | "kind" | "mime" | "providerMediaId" | "filename">;

/** Content of a message right before it goes: a template, a file, or its text alone. */
export interface OpenedContent {
  content: string | null;
  template: GraphTemplate | null;
  file: SentFile | null;
}

/** Content that can go, the reason why it cannot, or the step that comes first. */
export type ContentVerdict =
  | { opened: OpenedContent }
  | { error: MessageError }
  | { first: SendOutcome };

const minWaitMs = 500;
const maxWaitMs = 30_000;

const noFile: MessageError = {
  code: "media_unavailable",
  message: "The file could not be fetched. Check its address, or upload the file.",
  provider_code: null,
};

/** Reads the content of a message. No try is spent on a file that is still to come. */
export async function openContent(
  tx: Tx,
  message: Message,
  channel: ChannelAccount,
): Promise<ContentVerdict> {
  const opened = await openTemplate(tx, message, channel);
  if ("error" in opened) return opened;
  if ("waitMs" in opened) {
    return { first: { state: "waiting", waitMs: opened.waitMs, why: "templates" } };
  }
  // The file of a message in two parts is with the channel already, and its caption is a text.
  if (message.attachmentCount === 0 || message.part === 1) {
    return { opened: { ...opened, file: null } };
  }
  const row = await findSentFile(tx, message.id);
  const file = row === null ? { error: noFile } : judgeFile(tx, row, channel.driver);
  return "file" in file ? { opened: { ...opened, ...file } } : file;
}

function judgeFile(
  tx: Tx,
  row: MessageMedia,
  driver: ChannelDriver,
): { file: SentFile | null } | { error: MessageError } | { first: SendOutcome } {
  // The sandbox gives its file to nobody.
  if (driver === "sandbox") return { file: null };
  switch (row.state) {
    case "pending": {
      const ageMs = tx.now.getTime() - row.createdAt.getTime();
      const waitMs = Math.min(maxWaitMs, Math.max(minWaitMs, Math.floor(ageMs / 4)));
      return { first: { state: "waiting", waitMs, why: "file" } };
    }
    case "ready":
      // A visitor's browser reads the file from us.
      if (driver === "web") return { file: null };
      return row.providerMediaId === null && !isLinked(driver)
        ? { first: { state: "upload" } }
        : { file: row };
    case "refused": {
      const { reason, kind } = row;
      const isLimit = reason === "too_large" || reason === "wrong_type";
      return { error: isLimit ? describeRefusal(driver, kind, reason) : noFile };
    }
    case "failed":
    case "expired":
    case "erased":
      return { error: noFile };
  }
}
