import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { verifySignature, verifyStandard } from "../../core/signature.ts";
import {
  createReceiverLog,
  lineOf,
  readable,
  type ReceiverLog,
  type Verified,
} from "./receiver-log.ts";
import { parseReceiverCommand, receiverHelp, type ReceiverOptions } from "./receiver-options.ts";
import { openSecretStore, type SecretStore } from "./receiver-secrets.ts";

const maxBodyBytes = 20 * 1024 * 1024;
const maxSecretBytes = 4_096;

/** A running receiver. */
export interface RunningReceiver {
  url: string;
  port: number;
  /** Closes every connection, hanging ones included. */
  stop(): Promise<void>;
}

interface State {
  options: ReceiverOptions;
  secrets: SecretStore;
  log: ReceiverLog;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}

/**
 * Starts the example receiver. It verifies both signatures over the raw bytes, answers at once, and
 * then processes each event once.
 * @throws Error when the port is taken, a secret is malformed, or the file of secrets cannot be
 * read
 */
export async function startReceiver(options: ReceiverOptions = {}): Promise<RunningReceiver> {
  const secrets = openSecretStore(options.secrets ?? [], options.secretsFile);
  const state = { options, secrets, log: createReceiverLog() };
  const server = createServer((request, response) => {
    answerRequest(state, request, response).catch(() => response.destroy());
  });
  const { port = 4000, host = "127.0.0.1" } = options;
  const listening = await listen(server, port, host);
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening}`;
  return { url, port: listening, stop: () => close(server) };
}

/** Steps of every receiver: read the raw bytes, verify them, answer at once, only then process. */
async function receiveEvent(state: State, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const bytes = await readBody(request, maxBodyBytes);
  if (bytes === null) return refuseBody(response);
  const verified = verify(request, bytes, state.secrets.list());
  const id = headerOf(request, "x-service-event-id") ?? "";
  const status = verified === "no" ? 401 : demoStatus(state, exchange.url, id);
  if (status !== null) answer(response, status);
  const type = headerOf(request, "x-service-event") ?? "";
  const attempt = Number(headerOf(request, "x-service-attempt")) || null;
  const event = state.log.record({ type, id, attempt, verified, status, bytes });
  state.options.print?.(lineOf(event));
}

function verify(request: IncomingMessage, body: Buffer, secrets: readonly string[]): Verified {
  if (secrets.length === 0) return "unverified";
  const signature = headerOf(request, "x-service-signature");
  const service = secrets.some((secret) => verifySignature(signature, secret, body));
  const standard = verifyStandard({
    secrets,
    id: headerOf(request, "webhook-id"),
    timestamp: headerOf(request, "webhook-timestamp"),
    signature: headerOf(request, "webhook-signature"),
    body,
    nowSeconds: Date.now() / 1000,
  });
  if (service) return standard ? "both" : "service";
  return standard ? "standard" : "no";
}

/** Status 204, or the one that an option asks for. Null for no answer at all. */
function demoStatus({ options, log }: State, url: URL, id: string): number | null {
  const query = url.searchParams;
  const posts = log.countPost(url.pathname, id);
  if (query.has("hang") || options.hang === true) return null;
  if (posts <= Number(query.get("fail") ?? options.fail ?? 0)) return 500;
  const status = Number(query.get("status"));
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 204;
}

async function answerRequest(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? "/";
  if (!URL.canParse(target, "http://receiver")) return answer(response, 400);
  const exchange = { request, response, url: new URL(target, "http://receiver") };
  const { pathname } = exchange.url;
  const looking = request.method === "GET" && (pathname === "/" || pathname === "/events");
  const adding = request.method === "POST" && pathname === "/secrets";
  if ((looking || adding) && !isLoopback(request)) return answer(response, 403);
  if (looking) return answer(response, 200, present(state));
  if (adding) return await addSecret(state, exchange);
  if (request.method === "POST") return await receiveEvent(state, exchange);
  response.setHeader("Allow", "POST");
  return answer(response, 405);
}

function present({ secrets, log }: State): unknown {
  return { secrets: secrets.list().length, ...log.present() };
}

async function addSecret(state: State, { request, response }: Exchange): Promise<void> {
  // A page in a browser cannot send this content type to another origin without a preflight
  // request.
  const type = headerOf(request, "content-type") ?? "";
  if (!/^application\/json\b/iu.test(type)) return answer(response, 415);
  const bytes = await readBody(request, maxSecretBytes);
  if (bytes === null) return refuseBody(response);
  const given = readable(bytes);
  const known = typeof given === "object" && given !== null && "secret" in given;
  if (known && typeof given.secret === "string" && state.secrets.add(given.secret)) {
    return answer(response, 200, { secrets: state.secrets.list().length });
  }
  return answer(response, 400, { error: 'Send {"secret":"whsec_…"} as Parley shows it.' });
}

/** The raw bytes, before anything parses them. Null above the limit. */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limitBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuseBody(response: ServerResponse): void {
  response.setHeader("Connection", "close");
  answer(response, 413);
}

function answer(response: ServerResponse, status: number, data?: unknown): void {
  if (data !== undefined) response.setHeader("Content-Type", "application/json");
  response.writeHead(status).end(data === undefined ? "" : `${JSON.stringify(data, null, 2)}\n`);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function isLoopback(request: IncomingMessage): boolean {
  return /^(127\.|::1$|::ffff:127\.)/u.test(request.socket.remoteAddress ?? "");
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function main(): Promise<void> {
  const command = parseReceiverCommand(process.argv.slice(2), process.env);
  if (command === "help") return console.log(receiverHelp);
  const receiver = await startReceiver({ ...command, print: (line) => console.log(line) });
  console.log(`The example receiver listens on ${receiver.url}; stop it with Ctrl-C.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void receiver.stop());
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
