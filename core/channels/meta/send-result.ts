import type { MessageError } from "../../model/message.ts";
import {
  findGraphErrorClass,
  invalidTokenCode,
  spamLimitCode,
  type GraphErrorClass,
} from "./graph-errors.ts";
import { readFields, readMessageId, readNumber, readObjects, type Fields } from "./read-json.ts";

/**
 * The course of one POST to the Graph API. `body` is the parsed JSON, or undefined for other bytes.
 * `sent` is false only if no byte of the request was written.
 */
export type SendExchange =
  | { answered: true; statusCode: number; body: unknown }
  | { answered: false; sent: boolean };

/** The part of the system that has to wait before a message is tried again. */
export type WaitScope = "pair" | "number" | "provider";

/**
 * Result of one send:
 * - `accepted`: Meta has the message under `providerId`;
 * - `transient`: Meta does not have the message, and it may be sent again;
 * - `blocked`: Meta refuses every message of the channel, so this one stays queued;
 * - `permanent`: Meta refuses this message. `endangersChannel`: the number is near a ban;
 * - `unknown`: Meta may have the message. Never sent again (rule C26).
 */
export type MetaSendResult =
  | { kind: "accepted"; providerId: string }
  | { kind: "transient"; scope: WaitScope; providerCode: string | null }
  | { kind: "blocked"; state: "needs_reauth" | "degraded"; providerCode: string }
  | { kind: "permanent"; error: MessageError; endangersChannel: boolean }
  | { kind: "unknown" };

/** Codes of messages that Meta refuses, with words for their author. */
const refusals = {
  window: {
    code: "messaging_window_closed",
    message: "The customer last wrote more than 24 hours ago. Send a template.",
  },
  recipient: {
    code: "recipient_unavailable",
    message: "The channel cannot reach this customer.",
  },
  limit: {
    code: "recipient_limited",
    message: "The channel limits messages to this customer for now. It was not sent again.",
  },
  opted_out: {
    code: "opted_out",
    message: "The customer has stopped messages of this kind.",
  },
  template: {
    code: "template_rejected",
    message: "The channel refused the template. Check its name, language, parameters and state.",
  },
  content: {
    code: "invalid_message",
    message: "The channel refused the content of the message.",
  },
} as const satisfies Partial<Record<GraphErrorClass, { code: string; message: string }>>;

const refused = { code: "refused", message: "The channel refused the message." };

/** Reads the result of a send from its exchange. Texts of Meta are left out: they may quote ours. */
export function readSendResult(exchange: SendExchange): MetaSendResult {
  if (!exchange.answered) {
    if (exchange.sent) return { kind: "unknown" };
    return { kind: "transient", scope: "provider", providerCode: null };
  }
  const { statusCode, body } = exchange;
  const fields = readFields(body);
  const error = readFields(fields?.["error"]);
  if (error !== null) return readGraphError(statusCode, error);
  return statusCode >= 200 && statusCode < 300 ? readAcceptance(fields) : readBare(statusCode);
}

/** WhatsApp lists messages, the others name one. An acceptance without an id counts as unknown. */
function readAcceptance(fields: Fields | null): MetaSendResult {
  const [first] = readObjects(fields?.["messages"]);
  const providerId = readMessageId(first?.["id"] ?? fields?.["message_id"]);
  return providerId === null ? { kind: "unknown" } : { kind: "accepted", providerId };
}

/** An HTTP failure without a Graph error. A gateway of Meta or a proxy wrote it. */
function readBare(statusCode: number): MetaSendResult {
  const providerCode = `http_${statusCode}`;
  if (statusCode === 429) return { kind: "transient", scope: "number", providerCode };
  if (statusCode === 408 || statusCode >= 500) return { kind: "unknown" };
  return refuse(refused, providerCode);
}

function readGraphError(statusCode: number, error: Fields): MetaSendResult {
  const code = readNumber(error["code"]);
  if (code === null) return readBare(statusCode < 400 ? 500 : statusCode);
  const subcode = readNumber(error["error_subcode"]);
  const providerCode = subcode === null ? String(code) : `${code}/${subcode}`;
  const name = findGraphErrorClass(code, subcode);
  switch (name) {
    case "pair":
    case "number":
    case "provider":
      return { kind: "transient", scope: name, providerCode };
    case "channel": {
      const state = code === invalidTokenCode ? "needs_reauth" : "degraded";
      return { kind: "blocked", state, providerCode };
    }
    case null:
      // An undocumented error of a server does not say that the message stayed behind.
      return statusCode >= 500 ? { kind: "unknown" } : refuse(refused, providerCode);
    case "window":
    case "recipient":
    case "limit":
    case "opted_out":
    case "template":
    case "content":
      return refuse(refusals[name], providerCode, code === spamLimitCode);
  }
}

function refuse(
  words: { code: string; message: string },
  providerCode: string,
  endangersChannel = false,
): MetaSendResult {
  const error = { ...words, provider_code: providerCode };
  return { kind: "permanent", error, endangersChannel };
}
