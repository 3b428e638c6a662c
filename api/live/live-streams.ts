import type { ServerResponse } from "node:http";
import type { DataSource } from "typeorm";
import { AppError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import {
  readChangeSequence,
  type ChangeSequenceState,
} from "../../core/services/outbox/changes.ts";
import { findSession } from "../../core/services/accounts/users.ts";
import type { ApiMetrics } from "../metrics.ts";
import { createChangeFeed, type ChangeFeed } from "./change-feed.ts";
import { createChangeStream, eventBlock, type ChangeStream } from "./change-stream.ts";

/** What the streams are made of. */
export interface LiveStreamsDeps {
  dataSource: DataSource;
  log: Logger;
  metrics: ApiMetrics;
}

/** How often a stream does what it does by itself. */
export interface LiveTimes {
  /** A comment, so that proxies do not take a quiet stream for a dead one. */
  heartbeatMs: number;
  /** A look whether the login is still good for the account. */
  checkMs: number;
}

/** Who opens a stream, and from where on. */
export interface LiveRequest {
  response: ServerResponse;
  /** Sends the head: called once nothing can be refused any more. */
  writeHead: () => void;
  requestId: string;
  sessionHash: Buffer;
  userId: number;
  accountId: number;
  /** As it was sent; null to start at the present. */
  lastEventId: string | null;
}

/** All streams that are open in this process. */
export interface LiveStreams {
  /**
   * Starts a stream on the response and lets it run. A person's eleventh stream ends the oldest.
   * @throws AppError `service_unavailable` after `stop`, and whatever the database throws, before the head.
   */
  open(request: LiveRequest): Promise<void>;
  /** Ends every stream at once, opens no more, and resolves when the database is no longer used. */
  stop(): Promise<void>;
}

const perPerson = 10;
const retryMs = 2_000;
/** One tab too many comes back slowly, or the eleven would push each other out without pause. */
const retryPushedOutMs = 15_000;
const defaultTimes: LiveTimes = { heartbeatMs: 15_000, checkMs: 10_000 };

/** Makes the streams of an API process. */
export function createLiveStreams(deps: LiveStreamsDeps, times = defaultTimes): LiveStreams {
  const feed = createChangeFeed(deps);
  let stopped = false;
  return {
    async open(request) {
      const sequence = await readChangeSequence(deps.dataSource.manager);
      if (stopped) throw stopping();
      // Its "close" has been by now, and nothing else would ever end the stream.
      if (request.response.destroyed) return;
      makeRoom(feed, request.userId);
      request.writeHead();
      const stream = begin({ deps, feed, times, request });
      greet(request, stream, sequence);
      feed.add(stream, sequence.lastSeq);
    },
    async stop() {
      stopped = true;
      for (const stream of feed.streams) stream.end("stopped");
      await feed.idle();
    },
  };
}

function stopping(): AppError {
  return new AppError("service_unavailable", "This process is stopping. Try again.", null, 1);
}

/**
 * The oldest ends, not the newest: it may be a connection that is long dead on the other side, and
 * browsers never come back from a refusal.
 */
function makeRoom(feed: ChangeFeed, userId: number): void {
  const own = [...feed.streams].filter((stream) => stream.userId === userId);
  own.sort((left, right) => left.openedAt - right.openedAt);
  for (const stream of own.slice(0, Math.max(0, own.length - perPerson + 1))) {
    stream.end("too_many", `retry: ${retryPushedOutMs}\n\n`);
  }
}

interface Beginning {
  deps: LiveStreamsDeps;
  feed: ChangeFeed;
  times: LiveTimes;
  request: LiveRequest;
}

function begin({ deps, feed, times, request }: Beginning): ChangeStream {
  const { response, requestId, userId, accountId } = request;
  const { log, metrics } = deps;
  const check = setInterval(() => {
    // Without the database nothing new leaves either; the next look decides.
    checkLogin(deps, request, stream).catch((error: unknown) =>
      log.debug({ err: error }, "live.not_checked"),
    );
  }, times.checkMs);
  const stream = createChangeStream({
    response,
    userId,
    accountId,
    heartbeatMs: times.heartbeatMs,
    onDrain: () => feed.flush(stream),
    onEnd(reason, sent) {
      clearInterval(check);
      feed.remove(stream);
      metrics.openStreams.dec();
      const duration_ms = Math.round(performance.now() - stream.openedAt);
      log.info(
        { request_id: requestId, account_id: accountId, reason, sent, duration_ms },
        "live.ended",
      );
    },
  });
  metrics.openStreams.inc();
  return stream;
}

/** Where the reader stands: at the present, where they left off, or nowhere that is still known. */
function greet(
  { response, lastEventId }: LiveRequest,
  stream: ChangeStream,
  { lastSeq, purgedSeq }: ChangeSequenceState,
): void {
  response.write(`retry: ${retryMs}\n\n`);
  if (lastEventId === null) {
    stream.cursor = lastSeq;
    // With its number, so that a reader who is cut off before the first change resumes here.
    response.write(eventBlock("ready", lastSeq, {}));
    return;
  }
  const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
  if (seen >= purgedSeq && seen <= lastSeq) stream.cursor = seen;
  else stream.reset(lastSeq);
}

/** What the reader holds may be another account's now, or nobody's: they read everything again. */
async function checkLogin(
  { dataSource }: LiveStreamsDeps,
  { sessionHash, userId, accountId }: LiveRequest,
  stream: ChangeStream,
): Promise<void> {
  const session = await findSession(dataSource.manager, sessionHash, new Date());
  if (session?.userId === userId && session.accountId === accountId) return;
  stream.end("login_ended", eventBlock("reset", null, {}));
}
