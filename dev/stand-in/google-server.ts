import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { answerApi } from "./google-api.ts";
import { answerGoogleControl } from "./google-control.ts";
import { answerFault, takeFault, type GoogleFault } from "./google-faults.ts";
import { authorize, giveToken, listCerts, revoke, type GooglePageReply } from "./google-oauth.ts";
import { createGooglePushes } from "./google-pushes.ts";
import { readGoogleRequest } from "./google-routes.ts";
import { steerGoogle, type GoogleSteering } from "./google-steering.ts";
import type { GoogleReply } from "./google-wire.ts";
import {
  createCalendar,
  googleAccounts,
  googleClient,
  keepRequest,
  type GoogleAccount,
  type GoogleRequest,
  type GoogleRules,
  type GoogleWorld,
} from "./google-world.ts";

/** Options of the stand-in. All are optional. */
export interface GoogleStandInOptions {
  /** `googleAccounts` unless given. */
  accounts?: readonly GoogleAccount[];
  rules?: Partial<GoogleRules>;
  /** 0 takes any free port. */
  port?: number;
  /** Epoch milliseconds; the machine's clock unless given. */
  clock?: () => number;
  /** Wait before a push is sent again, doubled each time, in milliseconds (1000). */
  retryMs?: number;
  /** The address that is called for the one of a channel, such as http for https. */
  route?: (address: string) => string;
}

/** A running stand-in. */
export interface GoogleStandIn extends GoogleSteering {
  /** Origin of all of its parts. */
  url: string;
  /** Settings that point a process of ours here. */
  settings: Record<string, string>;
  /** Stops listening until `up`. The content stays. */
  down(this: void): Promise<void>;
  up(this: void): Promise<void>;
  close(this: void): Promise<void>;
}

/** Starts a server that speaks as Google does: OAuth, calendars, events and pushes. */
export async function startGoogleStandIn(
  options: GoogleStandInOptions = {},
): Promise<GoogleStandIn> {
  const world = createWorld(options);
  const standIn = steerGoogle(world);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    answer(world, standIn, request, response).catch(() => response.destroy());
  };
  let server = createServer(serve);
  const port = await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${port}`;
  const down = async (): Promise<void> => await stop(server);
  return {
    ...standIn,
    url,
    settings: {
      GOOGLE_API_URL: url,
      GOOGLE_TOKEN_URL: `${url}/token`,
      GOOGLE_AUTH_URL: `${url}/o/oauth2/v2/auth`,
      GOOGLE_CLIENT_ID: world.rules.clientId,
      GOOGLE_CLIENT_SECRET: world.rules.clientSecret,
    },
    down,
    up: async () => {
      server = createServer(serve);
      await listen(server, port);
    },
    close: async () => {
      world.pushes.close();
      if (server.listening) await down();
    },
  };
}

function createWorld(options: GoogleStandInOptions): GoogleWorld {
  const { accounts = googleAccounts, clock = Date.now, retryMs = 1_000 } = options;
  const route = options.route ?? ((address: string) => address);
  const calendars = accounts.flatMap((account) => account.calendars);
  const world: GoogleWorld = {
    accounts,
    calendars: new Map(calendars.map((facts) => [facts.id, createCalendar(facts)])),
    rules: {
      clientId: googleClient.id,
      clientSecret: googleClient.secret,
      accessSeconds: 3_600,
      isTesting: false,
      rotates: false,
      channelMs: 7 * 86_400_000,
      httpsOnly: false,
      callsPerMinute: Infinity,
      ...options.rules,
    },
    now: () => clock() + world.aheadMs,
    aheadMs: 0,
    grants: [],
    accessTokens: new Map(),
    codes: new Map(),
    channels: new Map(),
    pushes: createGooglePushes(() => world, { retryMs, route }),
    faults: [],
    hook: null,
    requests: [],
    pages: new Map(),
    spent: new Map(),
  };
  return world;
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  world: GoogleWorld,
  standIn: GoogleSteering,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const request = readGoogleRequest(incoming, text);
  if (request === null) {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://stand-in");
    const { method = "GET", headers } = incoming;
    const call = { method, path: pathname, query: searchParams, headers, text };
    const { http, type, text: body } = await answerGoogleControl(world, standIn, call);
    response.writeHead(http, { "content-type": type }).end(body);
    return;
  }
  keepRequest(world, request);
  const fault = await takeFault(world, request);
  if (fault !== null && (await goWrong(fault, request, response))) return;
  const reply = await perform(world, request);
  if (fault?.kind === "late") return;
  request.answered = reply.status;
  send(response, reply);
}

async function perform(
  world: GoogleWorld,
  request: GoogleRequest,
): Promise<GoogleReply | GooglePageReply> {
  if (request.call === "authorize") return authorize(world, request);
  if (request.call === "token") return await giveToken(world, request);
  if (request.call === "revoke") return revoke(world, request);
  if (request.call === "certs") return await listCerts();
  return answerApi(world, request);
}

/** @returns true where nothing more is to be answered */
async function goWrong(
  { kind, ms }: GoogleFault,
  request: GoogleRequest,
  response: ServerResponse,
): Promise<boolean> {
  const refusal = answerFault(kind);
  if (refusal !== null) {
    request.answered = refusal.status;
    send(response, refusal);
    return true;
  }
  if (kind === "slow") await sleep(ms);
  if (kind === "cut") response.destroy();
  if (kind === "page") {
    request.answered = 502;
    response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
  }
  if (kind === "garbled") {
    request.answered = 200;
    response.writeHead(200, { "content-type": "application/json" }).end('{"items":[{"id":"a');
  }
  return kind === "cut" || kind === "page" || kind === "garbled" || kind === "hang";
}

function send(response: ServerResponse, reply: GoogleReply | GooglePageReply): void {
  if ("location" in reply) {
    response.writeHead(302, { location: reply.location }).end();
  } else if ("html" in reply) {
    response.writeHead(reply.status, { "content-type": "text/html; charset=utf-8" });
    response.end(reply.html);
  } else if (reply.body === null) {
    response.writeHead(reply.status).end();
  } else {
    response.writeHead(reply.status, { "content-type": "application/json; charset=UTF-8" });
    response.end(`${JSON.stringify(reply.body)}\n`);
  }
}
