import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ChannelDriver } from "../../model/channels.ts";
import { mediaIdMs, mediaUrlMs, type DownloadFault } from "../../model/media.ts";
import {
  mediaWaitMs,
  type FetchMediaInput,
  type FetchMediaOutcome,
} from "../../model/workflow/media.ts";
import { recordChange } from "../outbox/changes.ts";
import { findOwned, lockOwnedIfThere } from "../sql.ts";

/** Next step for a file. */
export type MediaStart =
  /** Nothing is left to do. */
  | { step: "none" }
  /** The message is gone, or took the file back. Its bytes go too. */
  | { step: "delete"; keys: string[] }
  /** `driver`: of the channel whose limits an outgoing file must keep; null for a customer's file. */
  | { step: "download"; row: MessageMedia; driver: ChannelDriver | null }
  /** The file is stored, and waits for the scanner. */
  | { step: "scan"; row: MessageMedia; key: string };

/** A file that the storage has. */
export interface StoredMedia {
  mime: string;
  size: number;
  sha256: Buffer;
  storageKey: string;
  thumbnailKey: string | null;
}

/** Reasons why a file is not ready, as words for programs. */
export type MediaFault =
  | DownloadFault
  | "wrong_hash"
  | "wrong_type"
  | "no_access"
  | "unknown_id"
  | "infected"
  | "scanner_away";

/** Outcome of one try. `held`: stored, but the scanner has not looked at the file. */
export type MediaResult =
  | { kind: "ready" | "held"; stored: StoredMedia }
  | { kind: "fault"; reason: MediaFault };

/** Tries after which a file with another hash than its network names has failed. */
const maxWrongHashes = 3;
/** The same with an address of ours that has no file. A caller may correct the file meanwhile. */
const maxGone = 3;
/** Longest wait for a scanner that is away. */
const scannerWaitMs = 600_000;

/** Reads what is to be done for a file. */
export async function beginMedia(tx: Tx, { mediaId }: FetchMediaInput): Promise<MediaStart> {
  const row = await findOwned(tx, MessageMedia, { id: mediaId });
  if (row === null || row.state === "erased") {
    const keys = [row?.storageKey, row?.thumbnailKey];
    return { step: "delete", keys: keys.filter((key) => key !== undefined && key !== null) };
  }
  if (row.state !== "pending") return { step: "none" };
  const { storageKey: key } = row;
  if (key !== null) return { step: "scan", row, key };
  return { step: "download", row, driver: row.outgoing ? await readDriver(tx, row) : null };
}

async function readDriver(tx: Tx, { channelAccountId: id }: MessageMedia): Promise<ChannelDriver> {
  return (await tx.manager.findOneByOrFail(ChannelAccount, { id })).driver;
}

/**
 * Stores the outcome of a try. A file that was taken back meanwhile stays so.
 * @returns null if the message is gone or took the file back: then the caller deletes the bytes
 */
export async function completeMedia(
  tx: Tx,
  { mediaId }: FetchMediaInput,
  result: MediaResult,
): Promise<FetchMediaOutcome | null> {
  const row = await lockOwnedIfThere(tx, MessageMedia, { id: mediaId });
  if (row === null || row.state === "erased") return null;
  if (row.state !== "pending") return { state: "over" };
  const tries = row.tries + 1;
  switch (result.kind) {
    case "ready":
      await change(tx, row, { ...result.stored, state: "ready", reason: null, tries });
      return { state: "ready" };
    case "held": {
      await change(tx, row, { ...result.stored, reason: "scanner_away", tries });
      return { state: "waiting", waitMs: Math.min(mediaWaitMs(tries), scannerWaitMs) };
    }
    case "fault":
      return await recordFault(tx, row, result.reason);
  }
}

async function recordFault(
  tx: Tx,
  row: MessageMedia,
  reason: MediaFault,
): Promise<FetchMediaOutcome> {
  const tries = row.tries + 1;
  const state = row.storageKey === null ? endOf(reason, tries, row) : endOfHeld(tx, row, reason);
  if (state !== null) {
    const noFile = { storageKey: null, thumbnailKey: null, sourceUrl: null };
    await change(tx, row, { ...noFile, state, reason, tries });
    return { state };
  }
  if (row.storageKey !== null) {
    await change(tx, row, { reason, tries });
    return { state: "waiting", waitMs: Math.min(mediaWaitMs(tries), scannerWaitMs) };
  }
  const leftMs = expiryOf(row).getTime() - tx.now.getTime();
  if (leftMs <= 0) {
    await change(tx, row, { state: "expired", reason, tries, sourceUrl: null });
    return { state: "expired" };
  }
  await change(tx, row, { reason, tries });
  return { state: "waiting", waitMs: Math.min(mediaWaitMs(tries), leftMs) };
}

/** The final state after a fault; null for a fault that may pass. */
function endOf(
  reason: MediaFault,
  tries: number,
  { outgoing, providerMediaId }: MessageMedia,
): "failed" | "refused" | "expired" | null {
  switch (reason) {
    case "too_large":
    case "wrong_type":
    case "foreign_host":
    case "infected":
      return "refused";
    case "unknown_id":
      // Meta says the same of an id that it hides for want of a permission, which may come back.
      return providerMediaId === null ? "expired" : null;
    case "wrong_hash":
      return tries >= maxWrongHashes ? "failed" : null;
    case "gone":
      return outgoing && tries >= maxGone ? "failed" : null;
    case "unreachable":
    case "no_access":
    case "scanner_away":
      return null;
  }
}

/** The same for a file that waits for its scanner. */
function endOfHeld(
  tx: Tx,
  { createdAt }: MessageMedia,
  reason: MediaFault,
): "failed" | "refused" | null {
  if (reason === "infected" || reason === "too_large") return "refused";
  const ageMs = tx.now.getTime() - createdAt.getTime();
  return reason === "gone" || ageMs > mediaIdMs ? "failed" : null;
}

function expiryOf({ expiresAt, createdAt, providerMediaId }: MessageMedia): Date {
  const lifeMs = providerMediaId === null ? mediaUrlMs : mediaIdMs;
  return expiresAt ?? new Date(createdAt.getTime() + lifeMs);
}

/** Open Dashboards hear of each new state. */
async function change(tx: Tx, row: MessageMedia, columns: Partial<MessageMedia>): Promise<void> {
  const { id, state, messageId, conversationId, contactId } = row;
  await tx.manager.update(MessageMedia, id, { ...columns, updatedAt: tx.now });
  if (columns.state === undefined || columns.state === state) return;
  await recordChange(tx, { kind: "message.updated", messageId, conversationId, contactId });
}

/** Forgets the keys of a file whose bytes are deleted. */
export async function forgetMediaKeys(tx: Tx, mediaId: number): Promise<void> {
  const { accountId } = tx.actor;
  const columns = { storageKey: null, thumbnailKey: null, sha256: null, size: null };
  await tx.manager.update(MessageMedia, { id: mediaId, accountId, state: "erased" }, columns);
}
