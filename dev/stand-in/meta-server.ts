import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { metaAccounts, metaCustomers, type MetaAccount, type MetaApp } from "./meta-accounts.ts";
import { answerControl } from "./meta-control.ts";
import { describeDeed, type MetaDeed } from "./meta-customer.ts";
import { answerGraph } from "./meta-graph.ts";
import {
  cdnUrl,
  createMetaFiles,
  fileIdOf,
  findPicture,
  keepUpload,
  serveFile,
} from "./meta-media.ts";
import { metaTemplates, templateNews } from "./meta-templates.ts";
import { noService, readForm } from "./meta-uploads.ts";
import { createMetaWebhooks, shakeHands, type MetaCallback } from "./meta-webhooks.ts";
import { addressOf, keep, type MetaSteering, type MetaWorld } from "./meta-world.ts";

/** Options of the stand-in. Only the app is needed. */
export interface MetaStandInOptions {
  app: MetaApp;
  /** Receiver of the webhooks. Without it they wait until `subscribed_apps` names one. */
  callback?: MetaCallback;
  /** `metaAccounts` unless given. */
  accounts?: readonly MetaAccount[];
  /** 0 takes any free port. */
  port?: number;
  /** Pause before each status, in milliseconds (20). */
  statusMs?: number;
  /** Pause before a webhook is sent again, doubled each time, in milliseconds (1000). */
  retryMs?: number;
  /** PNG that customers send as an image; a pixel unless given. */
  picture?: Buffer;
  /** Origin in the addresses of files, for a stand-in behind a proxy; its own unless given. */
  origin?: string;
}

/** A running stand-in. */
export interface MetaStandIn extends MetaSteering {
  /** Origin. The Graph API is below it, with a version: `/v26.0/…`. */
  url: string;
  close(): Promise<void>;
}

/** Starts a server that speaks as Meta does: it takes sends, and it posts signed webhooks. */
export async function startMetaStandIn(options: MetaStandInOptions): Promise<MetaStandIn> {
  const world = createWorld(options);
  const { webhooks } = world;
  const standIn = steer(world);
  const server = createServer((request, response) => {
    serve(world, standIn, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world.origin = options.origin ?? url;
  return {
    ...standIn,
    url,
    close: async () => {
      world.stopped.abort();
      webhooks.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function createWorld(options: MetaStandInOptions): MetaWorld {
  const { app, callback = null, accounts = metaAccounts, statusMs = 20, retryMs = 1_000 } = options;
  const asked = (): MetaCallback | null => world.callback;
  const webhooks = createMetaWebhooks({ app, callback: asked, retryMs });
  const world: MetaWorld = {
    app,
    accounts,
    callback,
    connected: callback !== null,
    subscriptions: new Map(),
    webhooks,
    script: { name: "normal", left: Infinity },
    mediaScript: { name: "normal", left: Infinity },
    files: createMetaFiles(options.picture),
    downloads: [],
    uploads: [],
    refusedUploads: { left: 0, code: noService },
    origin: "",
    statusMs,
    templates: metaTemplates.map((one) => ({ ...one })),
    calls: [],
    lines: [],
    running: new Set(),
    stopped: new AbortController(),
  };
  // Every pause listens to it, and there may be many at once.
  setMaxListeners(0, world.stopped.signal);
  return world;
}

function steer(world: MetaWorld): MetaSteering {
  const { webhooks } = world;
  return {
    async receive(network, deed, customer = metaCustomers[network]) {
      const account = world.accounts.find((one) => one.network === network);
      if (account === undefined) throw new Error(`No account of ${network}.`);
      const { id, piece } = describeDeed(account, customer, withFile(world, network, deed));
      const text = deed.kind === "text" ? (deed.text ?? "") : `[${deed.kind}] ${deed.text ?? ""}`;
      const isOurs = deed.kind === "echo";
      const customerId = addressOf(customer);
      const fileId = deed.media ?? fileIdOf(deed.kind);
      const picture = deed.kind === "image" && findPicture(world, fileId) !== null ? fileId : null;
      const facts = { network, customerId, messageId: id, isOurs, text: text.trim(), picture };
      keep(world.lines, { ...facts, status: null, at: Date.now() });
      await webhooks.post([piece]);
      return id;
    },
    script(name, times = Infinity) {
      // A token that is no longer valid stays so.
      world.script = { name, left: name === "token" ? Infinity : times };
    },
    mediaScript(name, times = Infinity) {
      world.mediaScript = { name, left: times };
    },
    addFile: (file) => keepUpload(world, file),
    downloads: () => [...world.downloads],
    uploads: () => [...world.uploads],
    refuseUploads(times, code = noService) {
      world.refusedUploads = { left: times, code };
    },
    setTemplates(templates) {
      world.templates = templates.map((one) => ({ ...one }));
    },
    async moveTemplate(name, language, status) {
      const account = world.accounts.find((one) => one.network === "whatsapp");
      const template = world.templates.find(
        (one) => one.name === name && one.language === language,
      );
      if (account === undefined || template === undefined) throw new Error("No such template.");
      template.status = status;
      await webhooks.post([templateNews(account, template, status)]);
    },
    calls: () => [...world.calls],
    lines: () => [...world.lines],
    deliveries: () => webhooks.deliveries(),
    subscriptions: () => [...world.subscriptions].map(([id, { url, fields }]) => [id, url, fields]),
    connectTo(callback) {
      world.callback = callback;
      world.connected = true;
    },
    verify: async () =>
      world.callback === null ? "no callback" : await shakeHands(world.callback),
    hold: () => webhooks.hold(),
    release: async (how) => await webhooks.release(how),
    async idle() {
      while (world.running.size > 0) await Promise.all(world.running);
      await webhooks.idle();
    },
  };
}

/** WhatsApp names a file by its id, the other networks by its address. */
function withFile(world: MetaWorld, network: MetaAccount["network"], deed: MetaDeed): MetaDeed {
  const id = deed.media ?? fileIdOf(deed.kind);
  if (network === "whatsapp") return { ...deed, media: id, file: world.files.get(id) };
  return { ...deed, media: /^\d+$/u.test(id) ? cdnUrl(world, id) : id };
}

async function serve(
  world: MetaWorld,
  standIn: MetaSteering,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://stand-in");
  const { method = "GET", headers } = request;
  if (method === "GET" && serveFile(world, pathname, headers, response)) return;
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString("utf8");
  const versioned = /^\/v\d+\.\d+(\/.+)$/u.exec(pathname)?.[1];
  if (versioned === undefined) {
    const answer = await answerControl(world, standIn, { method, path: pathname, headers, text });
    response.writeHead(answer.http, { "content-type": answer.type }).end(answer.text);
    return;
  }
  const type = headers["content-type"] ?? "";
  const form = readForm(bytes, type);
  const body = form === null ? readBody(text, type) : undefined;
  const call = { method, path: versioned, query, headers, body, form };
  const answer = await answerGraph(world, call);
  if (answer === "hang") return;
  response.writeHead(answer.http, { "content-type": "application/json" });
  response.end(answer.body === null ? undefined : `${JSON.stringify(answer.body)}\n`);
}

/** JSON or a form; undefined where it is neither. */
function readBody(text: string, type: string): unknown {
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
