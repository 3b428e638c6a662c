import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { answerApi } from "./calendly-api.ts";
import { answerCalendlyControl } from "./calendly-control.ts";
import { answerConsent, giveTokens, revokeToken } from "./calendly-oauth.ts";
import { calendlySettings, createCalendlyWorld, type CalendlyWorld } from "./calendly-world.ts";

/** A running stand-in of Calendly. */
export interface CalendlyStandIn {
  /** Origin of the API, of the token endpoint and of the controls. */
  url: string;
  world: CalendlyWorld;
  /** Environment variables that point a process of ours here. */
  settings: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts a server that speaks as Calendly does. Port 0 takes any free one. */
export async function startCalendlyStandIn(port = 0): Promise<CalendlyStandIn> {
  const world = createCalendlyWorld(() => new Date());
  const server = createServer((request, response) => {
    serve(world, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    world,
    settings: calendlySettings(url),
    stop: async () =>
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Calls of a minute that a user has; each answer tells the rest. */
const perMinute = 500;

async function serve(
  world: CalendlyWorld,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://stand-in");
  const method = request.method ?? "GET";
  const body = await text(request);
  if (path.startsWith("/control/")) {
    const answer = await answerCalendlyControl(world, {
      method,
      path,
      host: request.headers.host,
      type: request.headers["content-type"],
      body,
    });
    return end(response, answer.http, answer.body);
  }
  if (path.startsWith("/oauth/")) {
    return serveOAuth(world, { method, path, query, form: new URLSearchParams(body) }, response);
  }
  const fault = takeFault(world);
  if (fault?.kind === "hang") return;
  if (fault !== null) {
    note(world, { method, path, query, body, status: fault.status });
    const limits = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": fault.resetSeconds };
    return end(response, fault.status, { title: "Fault" }, fault.kind === "quota" ? limits : {});
  }
  const token = world.tokens.get(request.headers.authorization?.replace(/^Bearer /u, "") ?? "");
  const user = world.users.find(({ id }) => id === token?.userId);
  if (token === undefined || user === undefined) {
    note(world, { method, path, query, body, status: 401 });
    return end(response, 401, { title: "Unauthenticated", message: "The token is invalid." });
  }
  const given = parse(body);
  const answer = await answerApi(world, {
    method,
    path,
    query,
    body: given,
    user,
    scopes: token.scopes,
    isOfApp: token.isOfApp === true,
  });
  note(world, { method, path, query, body, status: answer.http });
  end(response, answer.http, answer.body, { "x-ratelimit-limit": perMinute });
}

interface OAuthCall {
  method: string;
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
}

function serveOAuth(
  world: CalendlyWorld,
  { method, path, query, form }: OAuthCall,
  response: ServerResponse,
): void {
  if (path === "/oauth/authorize") {
    const answer = answerConsent(world, method, query, form);
    if ("location" in answer) {
      response.writeHead(answer.http, { location: answer.location }).end();
      return;
    }
    response.writeHead(answer.http, { "content-type": "text/html; charset=utf-8" });
    response.end(answer.html);
    return;
  }
  const fault = takeFault(world);
  if (fault?.kind === "hang") return;
  if (fault !== null) return end(response, fault.status, { error: "temporarily_unavailable" });
  const answers = { "/oauth/token": giveTokens, "/oauth/revoke": revokeToken };
  const answer = answers[path as keyof typeof answers]?.(world, form);
  note(world, { method, path, query, body: "", status: answer?.http ?? 404 });
  end(response, answer?.http ?? 404, answer?.body ?? { error: "not_found" });
}

function takeFault(world: CalendlyWorld): CalendlyWorld["fault"] {
  const { fault } = world;
  if (fault === null) return null;
  fault.left -= 1;
  if (fault.left <= 0) world.fault = null;
  return fault;
}

function note(
  world: CalendlyWorld,
  call: { method: string; path: string; query: URLSearchParams; body: string; status: number },
): void {
  const { method, path, status } = call;
  const query = Object.fromEntries(call.query);
  world.requests.push({ method, path, query, body: parse(call.body), status });
}

function parse(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function end(
  response: ServerResponse,
  http: number,
  body: unknown,
  headers: Record<string, string | number> = {},
): void {
  response.writeHead(http, { "content-type": "application/json", ...headers });
  response.end(body === null ? "" : JSON.stringify(body));
}
