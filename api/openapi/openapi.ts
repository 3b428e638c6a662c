import { z } from "zod";
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import type { ErrorCode } from "../../core/model/error-catalogue.ts";
import { version } from "../../core/version.ts";
import { errorBody, refusals } from "./errors.ts";
import { inboundOperations, inboundTag, voiceTag } from "./inbound.ts";
import { components, sampleOf } from "./samples.ts";
import { webhooks, webhookTag } from "./webhooks.ts";
import type { DocumentedRoute, Success } from "../http/route.ts";

/** Error codes of every route with an API key. Each route adds its own. */
const everywhere: ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "insufficient_scope",
  "loop_detected",
  "rate_limited",
  "internal_error",
  "service_unavailable",
];
const withInput: ErrorCode[] = ["validation_error"];
const withBody: ErrorCode[] = [
  "invalid_json",
  "payload_too_large",
  "unsupported_media_type",
  "request_timeout",
];
const withIdempotency: ErrorCode[] = ["idempotency_in_progress", "idempotency_key_reused"];

const tags: Record<string, string> = {
  Contacts: "The people who write to you, by phone or email.",
  Conversations: "One line of talk with a contact on one channel: its status and its AI agent.",
  Messages: "What was said in a conversation.",
  Templates: "Texts that WhatsApp has approved, for messages outside the window.",
  [inboundTag]: "A URL with a secret of its own, for systems that cannot hold an API key.",
  [voiceTag]: "The same for a voice assistant, whose callers book, move and cancel appointments.",
  [webhookTag]: "What Parley sends to your subscriptions, signed and repeated until you take it.",
};

/**
 * The OpenAPI 3.1 document of the routes with an API key, made from the schemas that validate
 * requests.
 */
export function createOpenApi(routes: DocumentedRoute[], publicUrl: string): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = `/api/v1${route.path.replace(":id", "{id}")}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  Object.assign(paths, inboundOperations());
  const named = new Set([...routes.map(({ tag }) => tag), inboundTag, voiceTag, webhookTag]);
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Parley API",
        version,
        description:
          "Contacts and conversations of a Parley account. Every answer carries `X-Request-Id`; a POST may carry `Idempotency-Key`. Query parameters that an operation does not name are ignored. All keys of an account share one rate limit: `X-RateLimit-Limit` and `X-RateLimit-Remaining` count the calls of all of them, and a 429 says in `Retry-After` how many seconds to wait.",
      },
      servers: [{ url: publicUrl }],
      security: [{ apiKey: [] }],
      tags: [...named].map((name) => ({ name, description: tags[name] })),
      paths,
      webhooks: webhooks(),
      components: {
        schemas: { ...components, Error: errorBody },
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

/**
 * Tidies a schema. Integers need no safe-integer bounds in a document, nor dates a pattern beside
 * `format`. OpenAPI 3.1 uses JSON Schema's `examples` instead of its own `example`.
 */
const tidy: CreateDocumentOptions["override"] = ({ jsonSchema }) => {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.example === undefined) return;
  jsonSchema.examples = [jsonSchema.example];
  delete jsonSchema.example;
};

function operationOf(route: DocumentedRoute): ZodOpenApiOperationObject {
  const scope = route.access.kind === "scope" ? route.access.scope : null;
  const { body } = route;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: scope === null ? undefined : `Needs the scope \`${scope}\`.`,
    requestParams: {
      ...(route.noun === undefined ? {} : { path: z.object({ id: idOf(route.noun) }) }),
      ...(route.query instanceof z.ZodObject ? { query: route.query } : {}),
      ...(route.method === "POST" ? { header: idempotencyHeader } : {}),
    },
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            // A missing body counts as an empty object.
            required: !body.safeParse({}).success,
            content: { "application/json": { schema: body, example: sampleOf(body) } },
          },
        }),
    responses: responsesOf(route),
  };
}

function idOf(noun: string) {
  const text = `The id of the ${noun}. One that is no number, or of another account, is 404 too.`;
  return z.int().min(1).describe(text);
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
function operationId({ method, path }: DocumentedRoute): string {
  const words = path.split(/[/:-]+/).filter((word) => word !== "");
  const capital = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capital.join("");
}

function responsesOf(route: DocumentedRoute): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, success] of Object.entries(route.successes)) {
    responses[`${Number(status)}` as "200"] = {
      description: success.description,
      content: { "application/json": { schema: envelopeOf(success), example: exampleOf(success) } },
    };
  }
  return { ...responses, ...refusals(codesOf(route)) };
}

function envelopeOf({ data, meta }: Success): z.ZodType {
  return z.strictObject({
    success: z.literal(true),
    data,
    ...(meta === undefined ? {} : { meta }),
  });
}

function exampleOf({ data, meta }: Success): object | undefined {
  const example = sampleOf(data);
  if (example === undefined) return undefined;
  return { success: true, data: example, ...(meta === undefined ? {} : { meta: sampleOf(meta) }) };
}

function codesOf(route: DocumentedRoute): ErrorCode[] {
  return [
    ...everywhere,
    ...(route.query === undefined && route.body === undefined ? [] : withInput),
    ...(route.body === undefined ? [] : withBody),
    ...(route.method === "POST" ? withIdempotency : []),
    ...(route.noun === undefined ? [] : [`${route.noun}_not_found` as const]),
    ...(route.errors ?? []),
  ];
}
