import { setTimeout as sleep } from "node:timers/promises";
import type { MetaAccount } from "./meta-accounts.ts";
import { newMessageId } from "./meta-customer.ts";
import { findUnknownFile, pictureIn } from "./meta-media.ts";
import { metaScripts, windowClosed, type MetaRefusal, type MetaScript } from "./meta-scripts.ts";
import { readSend, type MetaSend } from "./meta-send-body.ts";
import { judgeTemplateSend } from "./meta-template-sends.ts";
import type { MetaPiece } from "./meta-wire.ts";
import { goOn, keep, type MetaCall, type MetaWorld } from "./meta-world.ts";

/** An answer of the Graph API. `hang`: it never comes. */
export type GraphAnswer = { http: number; body: unknown } | "hang";

/** A user id of WhatsApp, or the id of its parent. */
const userIdPattern = /^[A-Z]{2}\.(ENT\.)?\w+$/u;

/** Answers POST messages as the script says, and lets statuses follow. */
export async function answerSend(
  world: MetaWorld,
  account: MetaAccount,
  body: unknown,
): Promise<GraphAnswer> {
  const { network } = account;
  const call: MetaCall = keep(world.calls, {
    network,
    accountId: account.id,
    body,
    send: null,
    script: "normal",
    messageId: null,
    answered: 0,
    at: Date.now(),
  });
  const read = readSend(network, body);
  const answer =
    "http" in read ? refusalOf(read) : await carryOut(world, account, call, (call.send = read));
  call.answered = answer === "hang" ? 0 : answer.http;
  return answer;
}

async function carryOut(
  world: MetaWorld,
  account: MetaAccount,
  call: MetaCall,
  send: MetaSend,
): Promise<GraphAnswer> {
  const isWhatsApp = account.network === "whatsapp";
  if (world.script.name === "token" || send.kind === "message") call.script = takeScript(world);
  const script: MetaScript = metaScripts[call.script];
  const refusal = refusalFor(script, call.script, isWhatsApp);
  if (refusal !== null) return refusalOf(refusal);
  const unfit = send.template === null ? null : judgeTemplateSend(world.templates, send.template);
  if (unfit !== null) return refusalOf(unfit);
  const lost = findUnknownFile(world, call.body);
  if (lost !== null) {
    const message = `(#100) No file has the id ${lost}`;
    return refusalOf({ http: 400, code: 100, message });
  }
  if (send.kind !== "message" || send.to === null) {
    return { http: 200, body: isWhatsApp ? { success: true } : { recipient_id: send.to } };
  }
  const id = newMessageId(account);
  const accepted = { http: 200, body: acceptance(isWhatsApp, call.body, send.to, id) };
  // WhatsApp takes the id of a user in `to`, answers as usual, and sends nothing.
  if (isWhatsApp && isDropped(call.body)) return accepted;
  call.messageId = id;
  const at = Date.now();
  keep(world.lines, {
    network: account.network,
    customerId: send.to,
    messageId: id,
    isOurs: true,
    text: send.text,
    picture: pictureIn(world, call.body),
    status: null,
    at,
  });
  const following = follow(world, account, { id, at, send, to: send.to, script });
  if (script.first === true) await following;
  else goOn(world, following);
  return script.hangs === true ? "hang" : accepted;
}

function takeScript(world: MetaWorld): MetaCall["script"] {
  const { name, left } = world.script;
  world.script = left > 1 ? { name, left: left - 1 } : { name: "normal", left: Infinity };
  return name;
}

function refusalFor(
  script: MetaScript,
  name: MetaCall["script"],
  isWhatsApp: boolean,
): MetaRefusal | null {
  if (name === "window_late" && !isWhatsApp) return windowClosed;
  return script.refusal?.[isWhatsApp ? "whatsapp" : "others"] ?? null;
}

function isDropped(body: unknown): boolean {
  const { to, recipient } = Object(body) as { to?: unknown; recipient?: unknown };
  return recipient === undefined && typeof to === "string" && userIdPattern.test(to);
}

function acceptance(isWhatsApp: boolean, body: unknown, to: string, id: string): unknown {
  if (!isWhatsApp) return { recipient_id: to, message_id: id };
  const input = (Object(body) as { to?: string }).to ?? to;
  const known = userIdPattern.test(to) ? { user_id: to } : { wa_id: to };
  return {
    messaging_product: "whatsapp",
    contacts: [{ input, ...known }],
    messages: [{ id, message_status: "accepted" }],
  };
}

/** An error in Meta's shape. Without a code there is no body. */
export function refusalOf({ http, code, subcode, message }: MetaRefusal): GraphAnswer {
  if (code === 0) return { http, body: null };
  const words = message.startsWith("(#") ? message : `(#${code}) ${message}`;
  const error = {
    message: words,
    type: "OAuthException",
    code,
    ...(subcode !== undefined && { error_subcode: subcode }),
    error_data: { messaging_product: "whatsapp", details: message },
    fbtrace_id: "AStandInTrace",
  };
  return { http, body: { error } };
}

interface Sent {
  id: string;
  /** Time of the message at Meta, epoch milliseconds. A watermark is such a time. */
  at: number;
  to: string;
  send: MetaSend;
  script: MetaScript;
}

/** The echo of Messenger and Instagram, then the statuses of the script. */
async function follow(world: MetaWorld, account: MetaAccount, sent: Sent): Promise<void> {
  const { script, id } = sent;
  const signal = world.stopped.signal;
  if (script.first !== true) await sleep(script.lateMs ?? world.statusMs, undefined, { signal });
  if (account.network !== "whatsapp") await world.webhooks.post([echoOf(world, account, sent)]);
  for (const status of script.statuses ?? ["sent", "delivered", "read"]) {
    const piece = statusPiece(account, sent, status);
    if (piece === null) continue;
    const line = world.lines.find(({ messageId }) => messageId === id);
    if (line !== undefined) line.status = status;
    await world.webhooks.post([piece]);
    if (script.twice === true) await world.webhooks.post([piece]);
    if (script.first !== true) await sleep(world.statusMs, undefined, { signal });
  }
}

function echoOf(world: MetaWorld, account: MetaAccount, { id, at, to, send }: Sent): MetaPiece {
  const metadata = send.callbackData === null ? {} : { metadata: send.callbackData };
  const own = { is_echo: true, app_id: Number(world.app.id), ...metadata };
  const message = { mid: id, text: send.text, ...own };
  const head = { sender: { id: account.id }, recipient: { id: to }, timestamp: at };
  return { account, field: "messaging", value: { ...head, message } };
}

function statusPiece(
  account: MetaAccount,
  { id, at: watermark, to, send, script }: Sent,
  status: string,
): MetaPiece | null {
  const at = Date.now();
  if (account.network === "whatsapp") {
    const one = {
      id,
      status,
      timestamp: String(Math.floor(at / 1_000)),
      ...(userIdPattern.test(to) ? { recipient_user_id: to } : { recipient_id: to }),
      ...(send.callbackData !== null && { biz_opaque_callback_data: send.callbackData }),
      ...(status === "failed" && script.failure && { errors: [script.failure] }),
    };
    return { account, field: "messages", value: { statuses: [one] } };
  }
  const head = { sender: { id: to }, recipient: { id: account.id }, timestamp: at };
  const isMessenger = account.network === "messenger";
  if (status === "read") {
    const read = isMessenger ? { watermark } : { mid: id };
    return { account, field: "messaging", value: { ...head, read } };
  }
  if (status !== "delivered" || !isMessenger) return null;
  const delivery = { mids: [id], watermark };
  return { account, field: "messaging", value: { ...head, delivery } };
}
