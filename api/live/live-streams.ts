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
import { createPresence, type Presence, type PresenceTimes } from "./presence.ts";

/** Dependencies of the streams. */
export interface LiveStreamsDeps {
  dataSource: DataSource;
  log: Logger;
  metrics: ApiMetrics;
}

/** Intervals of a stream. */
export interface LiveTimes {
  /** Sends a `beat`, so that proxies do not take a quiet stream for a dead one. */
  heartbeatMs: number;
  /** Checks that the login is still valid for the account. */
  checkMs: number;
  presence?: PresenceTimes;
}

/** A request for a stream. */
export interface LiveRequest {
  response: ServerResponse;
  /** Sends the head, once no refusal is possible any more. */
  writeHead: () => void;
  requestId: string;
  sessionHash: Buffer;
  userId: number;
  accountId: number;
  /** Value as sent; null starts at the current change. */
  lastEventId: string | null;
}

/** All open streams of this process. */
export interface LiveStreams {
  /** People who look at conversations. */
  readonly presence: Presence;
  /**
   * Starts a stream on the response and returns. A person's eleventh stream ends the oldest.
   * @throws AppError `service_unavailable` after `stop`, and any database error, before the head.
   */
  open(request: LiveRequest): Promise<void>;
  /** Ends every stream at once, opens no more, and resolves once the database is no longer used. */
  stop(): Promise<void>;
}

const perPerson = 10;
const retryMs = 2_000;
/**
 * The eleventh tab reconnects slowly, or eleven tabs would end each other's streams without pause.
 */
const retryPushedOutMs = 15_000;
const defaultTimes: LiveTimes = { heartbeatMs: 15_000, checkMs: 10_000 };

/** Creates the streams of an API process. */
export function createLiveStreams(deps: LiveStreamsDeps, times = defaultTimes): LiveStreams {
  const feed = createChangeFeed(deps);
  const { streams } = feed;
  const presence = createPresence({ ...deps, streams }, times.presence);
  let stopped = false;
  return {
    presence,
    async open(request) {
      const sequence = await readChangeSequence(deps.dataSource.manager);
      if (stopped) throw stopping();
      // The event "close" has fired already, so no later event would end the stream.
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
      await Promise.all([feed.idle(), presence.stop()]);
    },
  };
}

function stopping(): AppError {
  return new AppError("service_unavailable", {
    message: "This process is stopping. Try again.",
    retryAfterSeconds: 1,
  });
}

/**
 * Ends the oldest stream, not the newest: its connection may have been dead for long on the other
 * side. Also, browsers never reconnect after a refusal.
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
    // Without the database no new data is sent either. The next check decides.
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

/**
 * Sets the reader's position: the current change, the last seen one, or `reset` if that one is
 * unknown.
 */
function greet(
  { response, lastEventId }: LiveRequest,
  stream: ChangeStream,
  { lastSeq, purgedSeq }: ChangeSequenceState,
): void {
  response.write(`retry: ${retryMs}\n\n`);
  if (lastEventId === null) {
    stream.cursor = lastSeq;
    // Sends the number, so that a reader who is cut off before the first change resumes here.
    response.write(eventBlock("ready", lastSeq, {}));
    return;
  }
  const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
  if (seen >= purgedSeq && seen <= lastSeq) stream.cursor = seen;
  else stream.reset(lastSeq);
}

/**
 * Ends the stream if the login has ended or moved. The reader's data may belong to another account
 * now, so it must read everything again.
 */
async function checkLogin(
  { dataSource }: LiveStreamsDeps,
  { sessionHash, userId, accountId }: LiveRequest,
  stream: ChangeStream,
): Promise<void> {
  const session = await findSession(dataSource.manager, sessionHash, new Date());
  if (session?.userId === userId && session.accountId === accountId) return;
  stream.end("login_ended", eventBlock("reset", null, {}));
}
