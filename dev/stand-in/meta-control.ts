import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { metaCustomers, metaNetworks } from "./meta-accounts.ts";
import { metaKinds } from "./meta-customer.ts";
import { metaPage } from "./meta-page.ts";
import { findPicture, isMediaScript, kindOf, metaMediaScripts } from "./meta-media.ts";
import { isMetaScript, metaScripts } from "./meta-scripts.ts";
import type { MetaSteering, MetaWorld } from "./meta-world.ts";

/** A call to the page or to the controls. */
export interface ControlCall {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The answer to such a call. */
export interface ControlAnswer {
  http: number;
  type: string;
  text: string | Buffer;
}

const deed = z.strictObject({
  network: z.enum(metaNetworks),
  kind: z.enum(metaKinds).default("text"),
  text: z.string().optional(),
  targetId: z.string().min(1).optional(),
  id: z.string().min(1).optional(),
  agoSeconds: z.number().min(0).optional(),
  media: z.string().min(1).optional(),
  customer: z
    .strictObject({
      id: z.string().optional(),
      userId: z.string().optional(),
      name: z.string().min(1),
    })
    .optional(),
});
const choice = z.strictObject({
  name: z.string().refine(isMetaScript, `Take one of ${Object.keys(metaScripts).join(", ")}.`),
  times: z.int().min(1).optional(),
});
const mediaChoice = z.strictObject({
  name: z
    .string()
    .refine(isMediaScript, `Take one of ${Object.keys(metaMediaScripts).join(", ")}.`),
  times: z.int().min(1).optional(),
});
const upload = z.strictObject({
  mime: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/u, "Name the type of the file."),
  filename: z.string().min(1).nullable().default(null),
  base64: z.base64().min(1, "The file is empty."),
});
const release = z.strictObject({
  perWebhook: z.int().min(1).optional(),
  copies: z.int().min(1).max(100).optional(),
  reversed: z.boolean().optional(),
});

/** Serves the page, the state behind it, and the controls. */
export async function answerControl(
  world: MetaWorld,
  standIn: MetaSteering,
  call: ControlCall,
): Promise<ControlAnswer> {
  // A site elsewhere must not steer a server on this machine.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/u.test(call.headers.host ?? ""))
    return json(403, { error: "Call 127.0.0.1 or localhost." });
  if (call.method === "GET" && call.path === "/")
    return { http: 200, type: "text/html; charset=utf-8", text: metaPage };
  if (call.method === "GET" && call.path === "/control/state") return json(200, stateOf(world));
  const shown = /^\/control\/files\/(\d+)$/u.exec(call.path)?.[1];
  if (call.method === "GET" && shown !== undefined) return showFile(world, shown);
  if (call.method !== "POST") return json(404, { error: "No such route." });
  if (call.headers["content-type"] !== "application/json")
    return json(415, { error: "Send application/json." });
  try {
    return await steer(standIn, call);
  } catch (error) {
    const words = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return json(400, { error: words });
  }
}

async function steer(standIn: MetaSteering, { path, text }: ControlCall): Promise<ControlAnswer> {
  const body: unknown = JSON.parse(text === "" ? "{}" : text);
  switch (path) {
    case "/control/messages": {
      const { network, customer, ...given } = deed.parse(body);
      return json(200, { id: await standIn.receive(network, given, customer) });
    }
    case "/control/files": {
      const { base64, ...file } = upload.parse(body);
      const id = standIn.addFile({ ...file, bytes: Buffer.from(base64, "base64") });
      return json(200, { id, kind: kindOf(file.mime) });
    }
    case "/control/script": {
      const { name, times } = choice.parse(body);
      standIn.script(name, times);
      return json(200, { name });
    }
    case "/control/media-script": {
      const { name, times } = mediaChoice.parse(body);
      standIn.mediaScript(name, times);
      return json(200, { name });
    }
    case "/control/hold":
      standIn.hold();
      return json(200, { held: true });
    case "/control/release":
      return json(200, { webhooks: await standIn.release(release.parse(body)) });
    case "/control/verify":
      return json(200, { problem: await standIn.verify() });
    default:
      return json(404, { error: "No such route." });
  }
}

function stateOf(world: MetaWorld): unknown {
  const { accounts, callback, connected, script, lines, calls, webhooks } = world;
  return {
    connected,
    callback: callback?.url ?? null,
    accounts: accounts.map(({ network, id, name }) => ({ network, id, name })),
    customers: metaCustomers,
    kinds: metaKinds,
    scripts: Object.fromEntries(
      Object.entries(metaScripts).map(([name, { about }]) => [name, about]),
    ),
    script: script.name,
    held: webhooks.waiting(),
    lines: lines.slice(-200),
    calls: calls.slice(-20),
    webhooks: webhooks.deliveries().slice(-20),
  };
}

function showFile(world: MetaWorld, id: string): ControlAnswer {
  const file = findPicture(world, id);
  if (file === null) return json(404, { error: "No such picture." });
  return { http: 200, type: file.mime, text: file.bytes };
}

function json(http: number, data: unknown): ControlAnswer {
  return { http, type: "application/json", text: `${JSON.stringify(data)}\n` };
}
