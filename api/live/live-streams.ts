import type { ServerResponse } from "node:http";
import type { DataSource } from "typeorm";
import type { Config } from "../../core/config.ts";
import { AppError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import type { SecretBox } from "../../core/secrets.ts";
import {
  readChangeSequence,
  type ChangeSequenceState,
} from "../../core/services/outbox/changes.ts";
import type { ApiMetrics } from "../metrics.ts";
import { withVisitLinks } from "../widget/visit-links.ts";
import { createBeatWheel, type BeatWheel } from "./beat-wheel.ts";
import { createChangeAudience, type ChangeAudience } from "./change-audience.ts";
import { createChangeFeed, type ChangeFeed } from "./change-feed.ts";
import { createChangeStream, type ChangeStream } from "./change-stream.ts";
import { createDeliveryReports } from "./delivery-reports.ts";
import { eventBlock } from "./event-stream.ts";
import { createLoginCheck, type LoginCheck } from "./login-check.ts";
import { openVisit, type VisitRequest } from "./open-visit.ts";
import { createPresence, type Presence, type PresenceTimes } from "./presence.ts";
import { createVisitAudience } from "./visit-audience.ts";
import type { VisitReader } from "./visit-news.ts";

/** Dependencies of the streams. */
export interface LiveStreamsDeps {
  config: Config;
  secretBox: SecretBox;
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
  /**
   * Starts a visitor's stream on the response. A session's sixth stream ends the oldest.
   * @throws AppError `too_many_streams`, or `service_unavailable` after `stop`, before the head.
   */
  openVisit(request: VisitRequest): void;
  /** Ends every stream at once, opens no more, and resolves once the database is no longer used. */
  stop(): Promise<void>;
}

const perPerson = 10;
const retryMs = 2_000;
/**
 * The eleventh tab reconnects slowly, or eleven tabs would end each other's streams without pause.
 */
const retryPushedOutMs = 15_000;
/**
 * Proxies end a connection after 30 s or 60 s of silence, and clients take it for dead after 40 s.
 * Beats come no more often than that needs.
 */
const defaultTimes: LiveTimes = { heartbeatMs: 25_000, checkMs: 10_000 };

/** Parts that all streams of a process share. */
interface Parts extends LiveStreamsDeps {
  people: ChangeAudience;
  feed: ChangeFeed;
  wheel: BeatWheel;
  logins: LoginCheck;
}

function createVisitors(deps: LiveStreamsDeps) {
  const deliveries = createDeliveryReports(deps);
  const addLinks: VisitReader["addLinks"] = (accountId, messages) =>
    withVisitLinks(deps, accountId, messages);
  return { deliveries, visitors: createVisitAudience({ ...deps, deliveries, addLinks }) };
}

/** Creates the streams of an API process. */
export function createLiveStreams(deps: LiveStreamsDeps, times = defaultTimes): LiveStreams {
  const people = createChangeAudience(deps.dataSource);
  const { byPerson } = people;
  const { visitors, deliveries } = createVisitors(deps);
  const feed = createChangeFeed(deps, [people, visitors]);
  const logins = createLoginCheck(deps, times.checkMs);
  const wheel = createBeatWheel(times.heartbeatMs);
  const parts: Parts = { ...deps, people, feed, logins, wheel };
  const presence = createPresence({ ...deps, byPerson, visitors }, times.presence);
  let stopped = false;
  return {
    presence,
    async open(request) {
      const sequence = await readChangeSequence(deps.dataSource.manager);
      if (stopped) throw stopping();
      // The event "close" has fired already, so no later event would end the stream.
      if (request.response.destroyed) return;
      makeRoom(people, request.userId);
      request.writeHead();
      const stream = begin(parts, request);
      greet(request, stream, sequence);
      people.add(stream, feed.head ?? sequence.lastSeq);
      // The page forgot who types when its stream was cut, and the server tells changes alone.
      presence.tellTyping(stream);
      feed.wake(sequence.lastSeq);
    },
    openVisit(request) {
      if (stopped) throw stopping();
      openVisit({ ...deps, visitors, feed, wheel }, request);
    },
    async stop() {
      stopped = true;
      for (const stream of people.streams) stream.end("stopped");
      for (const stream of visitors.streams) stream.end("stopped");
      await Promise.all([feed.idle(), logins.stop(), presence.stop()]);
      await deliveries.stop();
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
function makeRoom({ byPerson }: ChangeAudience, userId: number): void {
  const own = [...byPerson.of(userId)];
  for (const stream of own.slice(0, Math.max(0, own.length - perPerson + 1))) {
    stream.end("too_many", `retry: ${retryPushedOutMs}\n\n`);
  }
}

function begin(parts: Parts, request: LiveRequest): ChangeStream {
  const { log, metrics, people, feed, wheel, logins } = parts;
  const { response, requestId, userId, accountId, sessionHash } = request;
  const stream = createChangeStream({
    response,
    userId,
    accountId,
    onDrain() {
      if (!stream.live) feed.wake();
    },
    onEnd(reason, sent) {
      wheel.remove(stream);
      logins.remove(stream);
      people.remove(stream);
      if (people.size === 0) feed.wake();
      metrics.openStreams.dec();
      const duration_ms = Math.round(performance.now() - stream.openedAt);
      log.info(
        { request_id: requestId, account_id: accountId, reason, sent, duration_ms },
        "live.ended",
      );
    },
  });
  wheel.add(stream);
  logins.add(stream, sessionHash);
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
