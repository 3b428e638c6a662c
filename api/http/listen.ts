import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type Koa from "koa";
import { AppError } from "../../core/errors.ts";
import { openPort } from "../../core/open-port.ts";
import { presentError } from "./errors.ts";
import { newRequestId } from "./request-id.ts";

const stopMs = 10_000;
/** A connection that is closed at once would lose the answer for a caller who is still sending. */
const lingerMs = 1_000;

/** A server that takes requests. */
export interface Listening {
  server: Server;
  port: number;
  /** Takes no new requests, lets running ones answer for `graceMs` (10 s), then ends. */
  stop(graceMs?: number): Promise<void>;
}

const bodyMs = 30_000;
/** A file of 200 MiB takes so long on a line of 2 Mbit/s. */
const longBodyMs = 900_000;
/** Paths whose body may take long. Whoever sends one is logged in, or is refused at once. */
const longBodies: ReadonlySet<string> = new Set(["/dashboard/api/imports"]);

/**
 * Opens the HTTP port. Headers must arrive within 10 s and bodies within 30 s, and the file of an
 * import within 15 minutes. Slower callers read 408.
 */
export async function listen(app: Koa, host: string, port: number): Promise<Listening> {
  const handle = app.callback();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.httpVersion === "1.1" && request.headers.host === undefined) {
      answerBrokenRequest(new Error("There is no Host."), request.socket);
    } else {
      limitBody(request, response);
      void handle(request, response);
    }
  };
  const server = createServer(
    {
      // Node itself would answer without a body.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: longBodyMs,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
    },
    serve,
  );
  // Node would refuse an unknown `Expect`. No route here depends on that header.
  server.on("checkExpectation", serve);
  server.on("clientError", answerBrokenRequest);
  await openPort(server, { host, port, setting: "PORT" });
  const address = server.address();
  return {
    server,
    port: typeof address === "object" && address !== null ? address.port : port,
    stop: async (graceMs = stopMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A closed server no longer times out requests that arrive in part.
      const limit = setTimeout(() => server.closeAllConnections(), graceMs);
      // A keep-alive socket would delay the close for its whole timeout, even a socket that answers
      // meanwhile.
      const sweep = setInterval(() => server.closeIdleConnections(), 25);
      server.closeIdleConnections();
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
    },
  };
}

/** Node knows one limit for all bodies, which is that of the longest. */
function limitBody(request: IncomingMessage, response: ServerResponse): void {
  const { headers, socket, url = "" } = request;
  const hasBody = "transfer-encoding" in headers || Number(headers["content-length"] ?? 0) > 0;
  if (!hasBody) return;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => {
      if (!request.complete) answerBrokenRequest(new SlowBodyError(), socket);
    }, bodyMs);
  };
  const end = (): void => clearTimeout(timer);
  request.once("end", end);
  request.once("close", end);
  // The rest of a file that was refused has no more time than any other body.
  if (longBodies.has(url.split("?", 1)[0] ?? "")) response.once("finish", begin);
  else begin();
}

/** As Node's own error of its limit. */
class SlowBodyError extends Error {
  override readonly name = "SlowBodyError";
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}

const answered = new WeakSet<Socket>();

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // Further bytes that arrive during the answer are broken too.
  if (answered.has(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const slow = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const refusal = slow
    ? new AppError("request_timeout", {
        message: "The request took too long to arrive. Send it again in one go.",
      })
    : new AppError("bad_request");
  const requestId = newRequestId();
  const body = JSON.stringify(presentError(refusal, requestId));
  const status = `${refusal.status} ${STATUS_CODES[refusal.status]}`;
  answered.add(socket);
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // This ends only our side. A caller who keeps their side open would keep the socket.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
