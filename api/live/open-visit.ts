import type { ServerResponse } from "node:http";
import type { Config } from "../../core/config.ts";
import { AppError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import type { Visit } from "../../core/services/widgets/visit.ts";
import type { ApiMetrics } from "../metrics.ts";
import type { BeatWheel } from "./beat-wheel.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { VisitAudience } from "./visit-audience.ts";
import { createVisitStream, type VisitStream } from "./visit-stream.ts";

/** A visitor's request for a stream. */
export interface VisitRequest {
  response: ServerResponse;
  /** Sends the head, once no refusal is possible any more. */
  writeHead: () => void;
  requestId: string;
  visit: Visit;
  /** Value as sent; null starts at the present. */
  lastEventId: string | null;
}

interface VisitParts {
  config: Config;
  log: Logger;
  metrics: ApiMetrics;
  visitors: VisitAudience;
  feed: ChangeFeed;
  wheel: BeatWheel;
}

const perSession = 5;
/** Clients read the messages at this pace instead. */
const retryRefusedSeconds = 20;
const retryMs = 2_000;
/** The sixth tab reconnects slowly, or six tabs would end each other's streams without pause. */
const retryPushedOutMs = 15_000;

/**
 * Starts a visitor's stream. The feed greets it together with others, so that thousands who come back
 * at once share their queries.
 * @throws AppError `too_many_streams`
 */
export function openVisit(parts: VisitParts, request: VisitRequest): void {
  const { visitors, feed, wheel, metrics, config } = parts;
  // The event "close" has fired already, so no later event would end the stream.
  if (request.response.destroyed) return;
  makeRoom(visitors, request.visit.sessionId);
  if (visitors.size >= config.widgetMaxStreams) {
    throw new AppError("too_many_streams", { retryAfterSeconds: retryRefusedSeconds });
  }
  request.writeHead();
  const stream = begin(parts, request);
  stream.write(`retry: ${retryMs}\n\n`);
  wheel.add(stream);
  metrics.openVisits.inc();
  visitors.add(stream);
  feed.wake();
}

function begin({ visitors, feed, wheel, metrics, log }: VisitParts, request: VisitRequest) {
  const { response, visit, lastEventId, requestId } = request;
  const stream: VisitStream = createVisitStream({
    response,
    visit,
    lastEventId,
    readHead: () => feed.head,
    onDrain() {
      if (stream.standing !== "live") feed.wake();
    },
    onEnd(reason) {
      wheel.remove(stream);
      visitors.remove(stream);
      if (visitors.size === 0) feed.wake();
      metrics.openVisits.dec();
      const duration_ms = Math.round(performance.now() - stream.openedAt);
      log.info(
        { request_id: requestId, account_id: visit.accountId, reason, duration_ms },
        "visit_stream.ended",
      );
    },
  });
  return stream;
}

/** Ends the oldest stream: its connection may have been dead for long on the other side. */
function makeRoom({ bySession }: VisitAudience, sessionId: number): void {
  const own = [...bySession.of(sessionId)];
  for (const stream of own.slice(0, Math.max(0, own.length - perSession + 1))) {
    stream.end("too_many", `retry: ${retryPushedOutMs}\n\n`);
  }
}
