import { z } from "zod";
import {
  contactListQuery,
  contactPatchBody,
  contactUpsertBody,
  contactView,
} from "../../core/model/contact.ts";
import {
  botBody,
  botView,
  conversationListQuery,
  conversationOpenBody,
  conversationPatchBody,
  conversationRow,
  conversationView,
  openedConversationView,
} from "../../core/model/conversation.ts";
import {
  messageListMeta,
  messageListQuery,
  messageSendBody,
  messageView,
} from "../../core/model/message.ts";
import { templateDirectoryQuery, templateEntry } from "../../core/model/template-list.ts";
import { listMeta } from "../../core/model/page.ts";
import { errorBody } from "../../api/openapi/errors.ts";
import { callApi } from "./api.ts";
import { createJudge, type Document, type Judge } from "./open-api.ts";

/** Every operation of API v1 with the schemas that its types come from. */
export const operations = {
  listContacts: {
    call: "GET /contacts",
    query: contactListQuery,
    data: z.array(contactView),
    meta: listMeta,
  },
  upsertContact: { call: "POST /contacts", body: contactUpsertBody, data: contactView },
  getContact: { call: "GET /contacts/:id", data: contactView },
  updateContact: { call: "PATCH /contacts/:id", body: contactPatchBody, data: contactView },
  listConversations: {
    call: "GET /conversations",
    query: conversationListQuery,
    data: z.array(conversationRow),
    meta: listMeta,
  },
  openConversation: {
    call: "POST /conversations",
    body: conversationOpenBody,
    data: openedConversationView,
  },
  getConversation: { call: "GET /conversations/:id", data: conversationView },
  updateConversation: {
    call: "PATCH /conversations/:id",
    body: conversationPatchBody,
    data: conversationView,
  },
  setBot: { call: "POST /conversations/:id/bot", body: botBody, data: botView },
  listMessages: {
    call: "GET /conversations/:id/messages",
    query: messageListQuery,
    data: z.array(messageView),
    meta: messageListMeta,
  },
  sendMessage: {
    call: "POST /conversations/:id/messages",
    body: messageSendBody,
    data: messageView,
  },
  listTemplates: {
    call: "GET /templates",
    query: templateDirectoryQuery,
    data: z.array(templateEntry),
    meta: listMeta,
  },
} as const satisfies Record<string, Operation>;

interface Operation {
  call: `${string} /${string}`;
  query?: z.ZodType;
  body?: z.ZodType;
  data: z.ZodType;
  meta?: z.ZodType;
}

type InputOf<O extends Operation> = (O["call"] extends `${string}:id${string}`
  ? { id: number }
  : unknown) &
  (O extends { query: infer Q extends z.ZodType } ? { query?: Partial<z.output<Q>> } : unknown) &
  (O extends { body: infer B extends z.ZodType }
    ? { body: z.input<B>; idempotencyKey?: string }
    : unknown);

interface AnswerOf<O extends Operation> {
  status: number;
  data: z.output<O["data"]>;
  meta: O extends { meta: infer M extends z.ZodType } ? z.output<M> : undefined;
}

/** One method for each operation. Refusals reject with `Refused`. */
export type Client = {
  [Name in keyof typeof operations]: (
    input: InputOf<(typeof operations)[Name]>,
  ) => Promise<AnswerOf<(typeof operations)[Name]>>;
};

/** An error answer that the document has. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly details: unknown,
  ) {
    super(`${status} ${code}`);
  }
}

/**
 * A client of API v1. It reads the OpenAPI document of the server it talks to and rejects every answer,
 * refusals too, whose status or body is not as that document says.
 */
export async function createClient(url: string, apiKey: string): Promise<Client> {
  const document = (await callApi(url, "GET", "/api/v1/openapi.json")).json as Document;
  const judge = createJudge(document);
  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    async (input: AnyInput) => await send({ url, apiKey, judge }, operation, input),
  ]);
  return Object.fromEntries(methods) as Client;
}

type AnyInput = { id?: number; query?: object; body?: unknown; idempotencyKey?: string };

async function send(
  { url, apiKey, judge }: { url: string; apiKey: string; judge: Judge },
  operation: Operation,
  { id, query = {}, body, idempotencyKey }: AnyInput,
) {
  const [method = "", path = ""] = operation.call.split(" ");
  const named = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(named).toString();
  const target = `/api/v1${path.replace(":id", String(id))}${search === "" ? "" : `?${search}`}`;
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const answer = await callApi(url, method, target, { apiKey, headers, body });
  const { status, json } = answer;
  const documented = ["paths", `/api/v1${path.replace(":id", "{id}")}`, method.toLowerCase()];
  const schema = ["responses", String(status), "content", "application/json", "schema"];
  const problems = judge.problems([...documented, ...schema], json);
  if (problems.length > 0) {
    throw new Error(`${operation.call}, ${status}, is not as documented: ${problems.join("; ")}`);
  }
  if (status >= 400) {
    const { code, details } = errorBody.parse(json).error;
    throw new Refused(status, code, details);
  }
  return { status, data: operation.data.parse(json.data), meta: operation.meta?.parse(json.meta) };
}
