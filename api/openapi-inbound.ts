import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { inboundAnswer, inboundCall } from "../core/model/inbound.ts";
import { sampleOf } from "./openapi-samples.ts";

/** Where inbound webhooks are sent; `inbound.ts` serves it. */
export const inboundPath = "/api/webhooks/inbound/{slug}";
/** What the reference lists them under. */
export const inboundTag = "Inbound webhook";

/** Every code that a call to an inbound endpoint may be refused with. */
export const inboundErrors = [
  "endpoint_not_found",
  "rate_limited",
  "payload_too_large",
  "request_timeout",
  "unsupported_media_type",
  "missing_signature",
  "invalid_signature",
  "invalid_json",
  "unsupported_event",
  "validation_error",
  "idempotency_in_progress",
  "idempotency_key_reused",
  "contact_not_found",
  "contact_conflict",
  "internal_error",
  "service_unavailable",
];

const headers = z.object({
  "X-Service-Signature": z
    .string()
    .optional()
    .describe(
      "`sha256=` and the hex HMAC SHA-256 of the raw body, keyed with the endpoint's secret. Required unless the endpoint is strict.",
    ),
  "X-Service-Event-Id": z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("The same id within 24 hours reads the first success again."),
  "webhook-id": z.string().optional().describe("Serves as event id; signed on a strict endpoint."),
  "webhook-timestamp": z.string().optional().describe("Seconds since 1970; for strict endpoints."),
  "webhook-signature": z.string().optional().describe("Standard Webhooks; for strict endpoints."),
});

const slug = z.string().describe("The last part of the endpoint's URL: 26 letters and digits.");

/** The one call that no API key makes: the slug in its path and a signature stand for it. */
export function inboundOperation(refusals: ZodOpenApiResponsesObject): ZodOpenApiOperationObject {
  const envelope = z.strictObject({ success: z.literal(true), data: inboundAnswer });
  return {
    operationId: "postInboundWebhook",
    tags: [inboundTag],
    summary: "Have another system create, update or tag a contact",
    description: "The URL and its secret come from the Dashboard. At most 300 calls per minute.",
    security: [],
    requestParams: { path: z.object({ slug }), header: headers },
    requestBody: {
      required: true,
      content: { "application/json": { schema: inboundCall, example: sampleOf(inboundCall) } },
    },
    responses: {
      "200": {
        description: "Done, or nothing to do.",
        content: {
          "application/json": {
            schema: envelope,
            example: { success: true, data: sampleOf(inboundAnswer) },
          },
        },
      },
      ...refusals,
    },
  };
}
