import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { scripts, type Script, type Scripted } from "./model-scripts.ts";
import { modelWires, type ModelWire } from "./model-wire.ts";

/** Options of the stand-in. All are optional. */
export interface ModelStandInOptions {
  /** 0 takes any free port. */
  port?: number;
  /** Wait before each answer. */
  delayMs?: number;
  /** True: requests keep their contents and headers. */
  show?: boolean;
  /** Further behaviours by the name of the model. They come before the usual ones. */
  scripts?: Readonly<Record<string, Script>>;
}

/** A request to a model. Times are epoch milliseconds. */
export interface ModelRequest {
  model: string;
  path: string;
  startedAt: number;
  /** The moment at which the answer was complete; null before it. */
  answeredAt: number | null;
  /** The moment at which the client closed the connection before its answer; null: it did not. */
  closedByClientAt: number | null;
  /** Only with `show`. */
  headers?: IncomingMessage["headers"];
  body?: unknown;
}

/** A running stand-in. */
export interface ModelStandIn {
  /** Origin. Base URLs are this with `/v1`, or `/v1beta` for Google. */
  url: string;
  /** Requests so far, oldest first. */
  requests(this: void): ModelRequest[];
  close(this: void): Promise<void>;
}

const maxKept = 1_000;

/**
 * Starts a server that answers as providers of language models do. The name of the model chooses
 * the behaviour. It speaks for OpenAI, Mistral, Anthropic and Google.
 */
export async function startModelStandIn(options: ModelStandInOptions = {}): Promise<ModelStandIn> {
  const kept: ModelRequest[] = [];
  const known: Record<string, Script> = { ...scripts, ...options.scripts };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://stand-in");
    if (request.method === "GET" && pathname === "/log") return send(response, 200, kept);
    if (request.method === "GET" && /^(\/v1)?\/models$/u.test(pathname))
      return send(response, 200, presentModels(Object.keys(known)));
    const wire = modelWires.find(({ path }) => path.test(pathname));
    if (request.method !== "POST" || wire === undefined)
      return send(response, 404, { error: { message: "No such route." } });
    await answerAsk(request, response, pathname, wire);
  }

  async function answerAsk(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    wire: ModelWire,
  ): Promise<void> {
    const startedAt = Date.now();
    const body = await readJson(request);
    const ask = wire.parse(body, path);
    const note: ModelRequest = {
      model: ask.model,
      path,
      startedAt,
      answeredAt: null,
      closedByClientAt: null,
      ...(options.show === true && { headers: request.headers, body }),
    };
    kept.push(note);
    if (kept.length > maxKept) kept.shift();
    response.on("finish", () => (note.answeredAt = Date.now()));
    response.on("close", () => {
      if (!response.writableFinished) note.closedByClientAt = Date.now();
    });
    await setTimeout(options.delayMs ?? 0);
    const script = known[ask.model];
    if (script === undefined)
      return send(response, 404, { error: { message: "No such model.", code: "model_not_found" } });
    await write(response, await script(ask), wire, ask.model);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => [...kept],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

function presentModels(names: readonly string[]): unknown {
  const data = names.map((id) => ({ id, object: "model", owned_by: "stand-in" }));
  return { object: "list", data };
}

async function write(
  response: ServerResponse,
  scripted: Scripted,
  wire: ModelWire,
  model: string,
): Promise<void> {
  if (scripted === "hang") return;
  if (scripted === "drip") {
    response.writeHead(200, { "content-type": "application/json" });
    while (!response.destroyed) {
      response.write(" ");
      await setTimeout(100);
    }
    return;
  }
  if ("status" in scripted) {
    response.writeHead(scripted.status, scripted.headers).end(scripted.body);
    return;
  }
  send(response, 200, wire.present(scripted, model));
}

function send(response: ServerResponse, status: number, data: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(data)}\n`);
}
