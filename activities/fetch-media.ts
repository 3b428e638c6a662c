import { Context } from "@temporalio/activity";
import { z } from "zod";
import { readMediaType } from "../core/media/media-type.ts";
import type { SpooledFile } from "../core/media/spool.ts";
import { parseSha256 } from "../core/media/sha256.ts";
import type { ChannelDriver } from "../core/model/channels.ts";
import { judgeMedia, maxMediaBytes, mediaLimits, type MediaRefusal } from "../core/model/media.ts";
import type { FetchMediaInput, FetchMediaOutcome } from "../core/model/workflow/media.ts";
import { requestSlots } from "../core/model/workflow/workflow-command.ts";
import { openChannelAccess, type ChannelAccess } from "../core/services/channels/channel-access.ts";
import {
  beginMedia,
  completeMedia,
  forgetMediaKeys,
  type MediaFault,
  type MediaResult,
  type MediaStart,
} from "../core/services/media/media-downloads.ts";
import type { MessageMedia } from "../db/entities/message-media.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { Graph } from "./channels/graph.ts";
import type { ActivityDeps } from "./deps.ts";
import { createAccountPlaces } from "./limits/account-places.ts";
import type { MediaWork } from "./media/port.ts";
import { deleteFile, scanFile, spoolNameOf, storeFile } from "./media/store-file.ts";
import { retryFor } from "./retry-for.ts";
import { RetryLaterError } from "./retry-later.ts";
import { withHeartbeats } from "./with-heartbeats.ts";

/** Time limit to store an outcome. After that the file is fetched again. */
const completionMs = 40_000;
const graphTimeoutMs = 15_000;
/** Then another worker takes the step, or this one after its restart. */
const retryMs = 1_000;
/** A host that never answers holds a try for a minute. Other accounts need slots meanwhile. */
const mostTriesOfAccount = 8;
/** Half of the slots of the queue `ops`. Mails, replays and erasures need the others. */
const mostTries = requestSlots / 2;
/** Wait of a file without a place. It grows with each refusal, so a long queue costs few tasks. */
const busyMs = 5_000;
const maxBusySteps = 12;

/** The step of a download. It may run twice: the second finds less to do. */
export function createFetchMedia(deps: ActivityDeps) {
  const inPlace = createAccountPlaces({
    mostOfAccount: mostTriesOfAccount,
    most: mostTries,
    retryMs: busyWaitMs,
  });
  return {
    /**
     * Makes one try to get a file into the storage, and stores the outcome.
     * @throws RetryLaterError without a place, or if this process stops meanwhile: that try does not
     * count
     */
    fetchMedia: (input: FetchMediaInput): Promise<FetchMediaOutcome> =>
      inPlace(input.accountId, async () => await tryOnce(deps, input)),
  };
}

/** 4 to 6 s at first, and up to about a minute. Files that came together ask apart. */
function busyWaitMs(): number {
  const { attempt } = Context.current().info;
  return busyMs * Math.min(attempt, maxBusySteps) * (0.8 + 0.4 * Math.random());
}

async function tryOnce(deps: ActivityDeps, input: FetchMediaInput): Promise<FetchMediaOutcome> {
  const { dataSource, secretBox, media, log, stopping } = deps;
  const options = systemOf(input.accountId);
  const begun = await transaction(dataSource, options, async (tx) => {
    const start = await beginMedia(tx, input);
    const access =
      start.step === "download" && start.row.providerMediaId !== null
        ? await openChannelAccess(tx, secretBox, start.row.channelAccountId)
        : null;
    return { start, access };
  });
  const result = await withHeartbeats(() => act(deps, media, input, begun));
  if (result === null) return { state: "over" };
  if (stopping.aborted && result.kind === "fault") {
    throw new RetryLaterError("This process is to stop.", retryMs);
  }
  // Before the state is stored: a crash then leaves no row without its refused file.
  if (result.kind === "fault" && (result.reason === "infected" || result.reason === "too_large")) {
    await deleteFile(media, input, []);
  }
  const outcome = await retryFor(
    () => transaction(dataSource, options, (tx) => completeMedia(tx, input, result)),
    completionMs,
  );
  if (outcome === null) await forget(deps, media, input, []);
  const reason = result.kind === "fault" ? result.reason : undefined;
  const state = outcome?.state ?? "over";
  log.info({ media_id: input.mediaId, state, reason }, "media.fetched");
  return outcome ?? { state: "over" };
}

async function act(
  deps: ActivityDeps,
  work: MediaWork,
  input: FetchMediaInput,
  { start, access }: { start: MediaStart; access: ChannelAccess | null },
): Promise<MediaResult | null> {
  switch (start.step) {
    case "none":
      return null;
    case "delete":
      await forget(deps, work, input, start.keys);
      return null;
    case "scan":
      return await scanStored(work, start.row, start.key);
    case "download":
      return await fetchFile(work, deps.graph, input, { ...start, access });
  }
}

/** Deletes the bytes of a file that its message took back, and then forgets their keys. */
async function forget(
  { dataSource }: ActivityDeps,
  media: MediaWork,
  input: FetchMediaInput,
  keys: readonly string[],
): Promise<void> {
  await deleteFile(media, input, keys);
  await transaction(dataSource, systemOf(input.accountId), (tx) =>
    forgetMediaKeys(tx, input.mediaId),
  );
}

/** The scanner was away when the file came. */
async function scanStored(
  { storage, scan }: MediaWork,
  row: MessageMedia,
  key: string,
): Promise<MediaResult> {
  const source = await storage.get(key);
  if (source === null) return { kind: "fault", reason: "gone" };
  const verdict = scan === null ? "clean" : await scan(source);
  source.destroy();
  if (verdict === "away") return { kind: "fault", reason: "scanner_away" };
  if (verdict !== "clean") return { kind: "fault", reason: verdict };
  const { mime, size, sha256, thumbnailKey } = row;
  if (mime === null || size === null || sha256 === null) return { kind: "fault", reason: "gone" };
  return { kind: "ready", stored: { mime, size, sha256, storageKey: key, thumbnailKey } };
}

/** Address of a file with what is known of it. */
interface FileSource {
  url: string;
  token: string | null;
  sha256: string | null;
}

async function fetchFile(
  media: MediaWork,
  graph: Graph,
  input: FetchMediaInput,
  {
    row,
    driver,
    access,
  }: Extract<MediaStart, { step: "download" }> & {
    access: ChannelAccess | null;
  },
): Promise<MediaResult> {
  const source = await findSource(graph, row, access);
  if (typeof source === "string") return { kind: "fault", reason: source };
  const { file, fault } = await media.download({
    url: source.url,
    name: spoolNameOf(input),
    token: source.token,
    from: driver === null ? "network" : "any",
    maxBytes: maxBytesOf(row, driver),
  });
  if (file === null) return { kind: "fault", reason: fault };
  try {
    if (source.sha256 !== null && source.sha256 !== file.sha256.toString("hex")) {
      return { kind: "fault", reason: "wrong_hash" };
    }
    const refusal = driver === null ? null : await judgeFile(file, row, driver);
    if (refusal !== null) return { kind: "fault", reason: refusal };
    const verdict = await scanFile(media, file.path);
    if (verdict === "infected" || verdict === "too_large") {
      return { kind: "fault", reason: verdict };
    }
    const stored = await storeFile(media, input, file);
    return { kind: verdict === "away" ? "held" : "ready", stored };
  } finally {
    await file.remove();
  }
}

/** A customer's file may be larger than the network would take from us. */
function maxBytesOf({ kind }: MessageMedia, driver: ChannelDriver | null): number {
  return (driver === null ? null : mediaLimits(driver, kind)?.maxBytes) ?? maxMediaBytes;
}

async function judgeFile(
  { path, size }: SpooledFile,
  { kind }: MessageMedia,
  driver: ChannelDriver,
): Promise<MediaRefusal | null> {
  return judgeMedia(driver, kind, { mime: await readMediaType(path), size });
}

const mediaAnswer = z.object({ url: z.string(), sha256: z.string().optional() });
const errorAnswer = z.object({ error: z.object({ code: z.number() }) });
/** Code of the Graph API for an object that it does not know. */
const unknownObject = 100;

/** WhatsApp gives an address for five minutes, so each try asks for a fresh one. */
async function findSource(
  graph: Graph,
  { providerMediaId: id, sourceUrl, declaredSha256 }: MessageMedia,
  access: ChannelAccess | null,
): Promise<FileSource | MediaFault> {
  const declared = parseSha256(declaredSha256 ?? "");
  if (id === null) {
    return sourceUrl === null ? "unknown_id" : { url: sourceUrl, token: null, sha256: declared };
  }
  if (access === null) return "no_access";
  const { token, appSecret } = access;
  const path = `/${encodeURIComponent(id)}`;
  const answer = await graph.call({
    base: "graph",
    method: "GET",
    path,
    token,
    appSecret,
    timeoutMs: graphTimeoutMs,
  });
  if (!answer.answered) return "unreachable";
  const found = mediaAnswer.safeParse(answer.body);
  if (answer.statusCode === 200 && found.success) {
    const { url, sha256 = "" } = found.data;
    return { url, token, sha256: declared ?? parseSha256(sha256) };
  }
  const refused = errorAnswer.safeParse(answer.body);
  if (refused.data?.error.code === unknownObject) return "unknown_id";
  return answer.statusCode === 401 || answer.statusCode === 403 ? "no_access" : "unreachable";
}
