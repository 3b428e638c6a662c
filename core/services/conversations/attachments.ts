import type { Message } from "../../../db/entities/message.ts";
import type { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { AttachmentKind } from "../../model/attachment.ts";
import { dayMs, hourMs } from "../../model/durations.ts";
import { toWellFormed } from "../../model/wire.ts";
import { requestMedia, requestMediaDeletion } from "../media/media-requests.ts";
import { placeholders } from "../sql.ts";

/** WhatsApp serves a file by its id this long, the other networks by its address. */
const idKeptMs = 7 * dayMs;
const urlKeptMs = hourMs;

/** Files of one message; a network sends at most 30. */
const maxAttachments = 100;
const maxFilenameLength = 255;
/** Bytes of an address in ASCII. */
const maxUrlLength = 8_192;

/** A file that a network names, before it is fetched. */
export interface NamedFile {
  kind: AttachmentKind;
  providerMediaId: string | null;
  /** May be signed: it is a secret. */
  url: string | null;
  mime: string | null;
  /** As the network writes it (base64). */
  sha256: string | null;
  filename: string | null;
  voice: boolean;
  /** The network's code of the error for which there is no file; else null. */
  errorCode: string | null;
}

/** Facts of a file to store. The rest of a row comes from its message. */
type Facts = Pick<
  MessageMedia,
  | "kind"
  | "state"
  | "reason"
  | "voice"
  | "filename"
  | "declaredMime"
  | "declaredSha256"
  | "providerMediaId"
  | "sourceUrl"
  | "expiresAt"
>;

/** Number of files that `storeAttachments` stores. */
export function countAttachments(files: readonly NamedFile[]): number {
  return Math.min(files.length, maxAttachments);
}

/**
 * Stores the files of a message in their order, in one statement. A file that the network has lost,
 * or does not say where to fetch, is `failed`; the others are `pending`, and a run fetches them.
 * @param message stored, with `attachmentCount` as `countAttachments` says.
 */
export async function storeAttachments(
  tx: Tx,
  message: Message,
  files: readonly NamedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const rows = files.slice(0, maxAttachments).map((file, position) => {
    const facts = factsOf(file, tx.now);
    return [
      message.accountId,
      message.id,
      message.conversationId,
      message.contactId,
      message.channelAccountId,
      position,
      facts.kind,
      facts.state,
      facts.reason,
      facts.voice,
      facts.filename,
      facts.declaredMime,
      facts.declaredSha256,
      facts.providerMediaId,
      facts.sourceUrl,
      facts.expiresAt,
      tx.now,
      tx.now,
    ];
  });
  await tx.manager.query(
    `INSERT INTO message_media (account_id, message_id, conversation_id, contact_id,
         channel_account_id, position, kind, state, reason, voice, filename, declared_mime,
         declared_sha256, provider_media_id, source_url, expires_at, created_at, updated_at)
     VALUES ${rows.map((row) => `(${placeholders(row)})`).join(", ")}`,
    rows.flat(),
  );
  await requestMedia(tx, message.id);
}

/**
 * Forgets the files of a message. The rows keep the keys of stored files, by which the storage is
 * cleared.
 */
export async function eraseAttachments(tx: Tx, messageId: number): Promise<void> {
  await tx.manager.query(
    `UPDATE message_media SET state = 'erased', reason = NULL, filename = NULL, source_url = NULL,
         provider_media_id = NULL, declared_sha256 = NULL, sha256 = NULL, updated_at = ?
      WHERE message_id = ? AND account_id = ?`,
    [tx.now, messageId, tx.actor.accountId],
  );
  await requestMediaDeletion(tx, messageId);
}

function factsOf(file: NamedFile, now: Date): Facts {
  const providerMediaId = asciiOf(file.providerMediaId, 191);
  const sourceUrl = addressOf(file.url);
  const isLost = file.errorCode !== null;
  const hasSource = providerMediaId !== null || sourceUrl !== null;
  const keptMs = providerMediaId === null ? urlKeptMs : idKeptMs;
  const failure = isLost ? "provider_error" : "no_source";
  return {
    kind: file.kind,
    state: isLost || !hasSource ? "failed" : "pending",
    reason: isLost || !hasSource ? failure : null,
    voice: file.voice,
    filename: nameOf(file.filename),
    declaredMime: asciiOf(file.mime, 128),
    declaredSha256: asciiOf(file.sha256, 128),
    providerMediaId,
    sourceUrl,
    expiresAt: hasSource ? new Date(now.getTime() + keptMs) : null,
  };
}

/** A web address without characters that it would have to escape. */
function addressOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return /^https?:$/u.test(protocol) && href.length <= maxUrlLength ? href : null;
}

/** The last part of a path, without control characters. */
function nameOf(filename: string | null): string | null {
  const base =
    filename
      ?.split(/[/\\]/u)
      .at(-1)
      ?.replaceAll(/\p{Cc}/gu, "")
      .trim() ?? "";
  return base === "" ? null : toWellFormed(base.slice(0, maxFilenameLength));
}

/** Columns for programs take printable ASCII. Anything else is no id, type or hash. */
function asciiOf(text: string | null, maxLength: number): string | null {
  return text !== null && text.length <= maxLength && /^[ -~]+$/u.test(text) ? text : null;
}
