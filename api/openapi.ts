import { z } from "zod";
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { eventCatalogue, eventEnvelope, eventTypes, type EventType } from "../core/model/events.ts";
import { version } from "../core/version.ts";
import { errorStatus } from "./errors.ts";
import type { Route, Success } from "./route.ts";

/** What every keyed route may refuse with; each adds its own codes. */
const everywhere = [
  "missing_api_key",
  "invalid_api_key",
  "insufficient_scope",
  "rate_limited",
  "internal_error",
  "service_unavailable",
];
const withInput = ["validation_error"];
const withBody = ["invalid_json", "payload_too_large", "unsupported_media_type", "request_timeout"];
const withIdempotency = ["idempotency_in_progress", "idempotency_key_reused"];

const errorBody = z
  .strictObject({
    success: z.literal(false),
    error: z.strictObject({
      code: z.string().describe("Stable, for programs."),
      message: z.string().describe("For people."),
      details: z
        .union([
          z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
          z.record(z.string(), z.unknown()),
        ])
        .nullable()
        .describe("Every issue of a validation error; facts of some other codes."),
      request_id: z.string(),
    }),
  })
  .meta({ id: "Error" });

/** Integers need no safe-integer bounds in a document, nor dates their pattern beside `format`. */
const tidy: CreateDocumentOptions["override"] = ({ jsonSchema }) => {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
};

/** The OpenAPI 3.1 document of keyed routes, made from the very schemas that validate. */
export function createOpenApi(routes: Route[], publicUrl: string): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = `/api/v1${route.path.replace(":id", "{id}")}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Parley API",
        version,
        description:
          "Contacts and conversations of a Parley account. Every answer carries `X-Request-Id`; a POST may carry `Idempotency-Key`.",
      },
      servers: [{ url: publicUrl }],
      security: [{ apiKey: [] }],
      tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
      paths,
      webhooks: webhooks(),
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description: "An API key made in the Dashboard.",
          },
        },
      },
    },
    { override: tidy },
  );
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const scope = route.access.kind === "scope" ? route.access.scope : null;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: scope === null ? undefined : `Needs the scope \`${scope}\`.`,
    requestParams: {
      ...(route.noun === undefined ? {} : { path: z.object({ id: z.int().min(1) }) }),
      ...(route.query instanceof z.ZodObject ? { query: route.query } : {}),
      ...(route.method === "POST" ? { header: idempotencyHeader } : {}),
    },
    ...(route.body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { "application/json": { schema: route.body } } },
        }),
    responses: responsesOf(route),
  };
}

const idempotencyHeader = z.object({
  "Idempotency-Key": z
    .string()
    .min(1)
    .max(255)
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .describe("The same key and body within 24 hours read the first answer again."),
});

/** `POST /contacts/:id/tags` → `postContactsIdTags`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[/:-]+/).filter((word) => word !== "");
  const capital = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capital.join("");
}

function responsesOf(route: Route): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, success] of Object.entries(route.successes)) {
    responses[`${Number(status)}` as "200"] = {
      description: success.description,
      content: { "application/json": { schema: envelopeOf(success) } },
    };
  }
  for (const [status, codes] of Object.entries(codesByStatus(route))) {
    responses[`${Number(status)}` as "400"] = {
      description: codes.map((code) => `\`${code}\``).join(", "),
      content: { "application/json": { schema: errorBody } },
    };
  }
  return responses;
}

function envelopeOf({ data, meta }: Success): z.ZodType {
  return z.strictObject({
    success: z.literal(true),
    data,
    ...(meta === undefined ? {} : { meta }),
  });
}

function codesByStatus(route: Route): Record<number, string[]> {
  const codes = [
    ...everywhere,
    ...(route.query === undefined && route.body === undefined ? [] : withInput),
    ...(route.body === undefined ? [] : withBody),
    ...(route.method === "POST" ? withIdempotency : []),
    ...(route.noun === undefined ? [] : [`${route.noun}_not_found`]),
    ...(route.errors ?? []),
  ];
  const byStatus: Record<number, string[]> = {};
  for (const code of codes) (byStatus[errorStatus(code)] ??= []).push(code);
  return byStatus;
}

/** What subscriptions receive, one entry for each event type. */
function webhooks(): Record<string, { post: ZodOpenApiOperationObject }> {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type) }]));
}

function webhookOf(type: EventType): ZodOpenApiOperationObject {
  const { summary, data, sample } = eventCatalogue[type];
  const example = {
    event_id: "019a9d4e-7c1b-7f32-9a41-5be0c7d1f001",
    event_type: type,
    occurred_at: "2026-03-02T14:05:11.214Z",
    data: sample,
  };
  const schema = eventEnvelope.extend({ event_type: z.literal(type), data });
  return {
    operationId: `on${type
      .split(/[._]/)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join("")}`,
    tags: ["Webhooks"],
    summary,
    security: [],
    requestBody: { content: { "application/json": { schema, example } } },
    responses: { "2XX": { description: "Answer within 8 seconds; anything else is tried again." } },
  };
}
