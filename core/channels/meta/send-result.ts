import type { MessageError } from "../../model/message.ts";
import {
  findGraphErrorClass,
  invalidTokenCode,
  otherAppCodes,
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

/**
 * Result of one send:
 * - `accepted`: Meta has the message under `providerId`;
 * - `transient`: Meta does not have the message, and it may be sent again;
 * - `blocked`: Meta refuses every message of the channel, which is in `state` now;
 * - `permanent`: Meta refuses this message. `danger`: the number is near a ban;
 * - `unknown`: Meta may have the message. Never sent again (rule C26).
 */
export type MetaSendResult =
  | { kind: "accepted"; providerId: string }
  | { kind: "transient"; scope: "pair" | "number" | "provider"; providerCode: string | null }
  | ({ kind: "blocked" } & ChannelDanger)
  | { kind: "permanent"; error: MessageError; danger: ChannelDanger | null }
  | { kind: "unknown" };

/** The code and words for the author of a message that Meta refuses. */
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

const heldByOther = {
  code: refusals.recipient.code,
  message: "Another app has the conversation with this customer.",
};
const refused = { code: "refused", message: "The channel refused the message." };

/** State of a channel after a refusal that holds for all of its messages, or endangers it. */
export interface ChannelDanger {
  state: "needs_reauth" | "degraded";
  providerCode: string;
}

/** The state of the channel that an error of a message tells of, or null. */
export function findChannelDanger(code: number, subcode: number | null): ChannelDanger | null {
  const isDanger = findGraphErrorClass(code, subcode) === "channel" || code === spamLimitCode;
  if (!isDanger) return null;
  const state = code === invalidTokenCode ? "needs_reauth" : "degraded";
  return { state, providerCode: presentCode(code, subcode) };
}

/**
 * The error of a message that Meta has refused in a status, later than its acceptance.
 * @returns null for a code that is none of the message, or that nobody knows
 */
export function findGraphRefusal(code: number, subcode: number | null): MessageError | null {
  const name = findGraphErrorClass(code, subcode);
  if (name === null || !(name in refusals)) return null;
  return errorOf(refusals[name as keyof typeof refusals], presentCode(code, subcode));
}

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
  const providerCode = presentCode(code, subcode);
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
      if (statusCode >= 500) return { kind: "unknown" };
      if (error["is_transient"] !== true) return refuse(refused, providerCode);
      return { kind: "transient", scope: "provider", providerCode };
    case "window":
    case "recipient":
    case "limit":
    case "opted_out":
    case "template":
    case "content":
      return refuse(refusals[name], providerCode, findChannelDanger(code, subcode));
  }
}

function refuse(
  words: { code: string; message: string },
  providerCode: string,
  danger: ChannelDanger | null = null,
): MetaSendResult {
  return { kind: "permanent", error: errorOf(words, providerCode), danger };
}

function errorOf(words: { code: string; message: string }, providerCode: string): MessageError {
  const shown = otherAppCodes.has(providerCode) ? heldByOther : words;
  return { ...shown, provider_code: providerCode };
}

function presentCode(code: number, subcode: number | null): string {
  return subcode === null ? String(code) : `${code}/${subcode}`;
}
