import { gzipSync } from "node:zlib";
import { answer, failFirst, type Behaviour } from "../sink.ts";

/** A kind of receiver, with the expected result of the one event that it gets. */
export interface Animal {
  name: string;
  behave: Behaviour;
  attempts: number;
  state: "delivered" | "discarded";
  /** Error class of the last attempt; null for a success. */
  errorClass: string | null;
  /**
   * True for a receiver that uses the whole time of an attempt. It has its own host, or it would
   * slow the others down.
   */
  hangs?: true;
}

/** Target of redirects. No post may ever arrive there. */
export const redirectTarget = "/redirected";

const delivered = { attempts: 1, state: "delivered", errorClass: null } as const;
const failed = { attempts: 6, state: "discarded", errorClass: "http_status" } as const;
const broken = { ...failed, errorClass: "connection_reset" } as const;
const invalid = { ...failed, errorClass: "invalid_response" } as const;
const hung = { ...failed, errorClass: "timeout", hangs: true } as const;

const statuses = [200, 201, 202, 204, 299].map((status): Animal => ({
  name: `s${status}`,
  behave: answer(status),
  ...delivered,
}));
const refusals = [301, 302, 303, 307, 308, 400, 401, 404, 410, 500, 503].map((status): Animal => ({
  name: `s${status}`,
  behave: answer(status, { location: redirectTarget }),
  ...failed,
}));

/** Sends raw bytes and closes the connection. */
function say(text: string): Behaviour {
  return ({ response }) => void response.socket?.end(text);
}

/** Sends one piece after another while the connection is open. */
function dribble(piece: string, everyMs: number): Behaviour {
  return ({ response }) => {
    const timer = setInterval(() => response.socket?.write(piece), everyMs);
    response.socket?.on("close", () => clearInterval(timer));
  };
}

const halfBody: Behaviour = ({ response }) => {
  response.writeHead(200, { "content-length": "1000" });
  response.write("half of it");
  response.socket?.end();
};

const trickledBody: Behaviour = ({ response }) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), 100);
  response.on("close", () => clearInterval(timer));
};

const hugeBody: Behaviour = ({ response }) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(65_536);
  const pump = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", pump);
  pump();
};

const bomb = gzipSync(Buffer.alloc(50_000_000));

const early: Behaviour = ({ response }) => {
  response.writeEarlyHints({ link: "</a.css>; rel=preload" }, () => response.writeHead(200).end());
};

/**
 * Receivers of every kind, one path each: statuses, redirects, broken, endless and silent answers.
 */
export const zoo: readonly Animal[] = [
  ...statuses,
  ...refusals,
  { name: "early-hints", behave: early, ...delivered },
  { name: "third-time", behave: failFirst(2), attempts: 3, state: "delivered", errorClass: null },
  { name: "later", behave: answer(429, { "retry-after": "1" }), ...failed },
  { name: "junk-later", behave: answer(503, { "retry-after": "1e9" }), ...failed },
  { name: "half-body", behave: halfBody, ...delivered },
  { name: "trickled-body", behave: trickledBody, ...delivered },
  { name: "huge-body", behave: hugeBody, ...delivered },
  {
    name: "gzip-bomb",
    behave: ({ response }) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    ...delivered,
  },
  { name: "reset", behave: ({ response }) => void response.socket?.resetAndDestroy(), ...broken },
  { name: "hang-up", behave: ({ response }) => void response.socket?.destroy(), ...broken },
  { name: "half-head", behave: say("HTTP/1.1 200 OK\r\nX-Half: "), ...broken },
  { name: "http-9", behave: say("HTTP/9 200 OK\r\n\r\n"), ...invalid },
  { name: "not-http", behave: say("220 smtp.example.com ESMTP\r\n"), ...invalid },
  {
    name: "huge-head",
    behave: say(`HTTP/1.1 200 OK\r\nX-Huge: ${"x".repeat(100_000)}\r\n\r\n`),
    ...invalid,
  },
  { name: "silent", behave: () => undefined, ...hung },
  { name: "trickled-head", behave: dribble("H", 100), ...invalid },
  { name: "interim-flood", behave: dribble("HTTP/1.1 100 Continue\r\n\r\n", 50), ...hung },
];
