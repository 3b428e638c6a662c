import { z } from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import type { ErrorCode } from "../../core/model/error-catalogue.ts";
import { inboundAnswer, inboundCall } from "../../core/model/inbound.ts";
import { voiceAnswer, voiceCall } from "../../core/model/voice.ts";
import { refusals } from "./errors.ts";
import { sampleOf } from "./samples.ts";

/** Tags of inbound calls in the reference. */
export const inboundTag = "Inbound webhook";
export const voiceTag = "Voice integration";

/** Every error code of a call to an endpoint of any kind. */
const signedErrors: ErrorCode[] = [
  "loop_detected",
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

/** Every error code of a call to an inbound endpoint. */
export const inboundErrors = signedErrors;

/** Every error code of a call to a voice integration. */
export const voiceErrors: ErrorCode[] = [
  ...signedErrors,
  "appointment_not_found",
  "appointment_ambiguous",
  "appointment_replaced",
  "reschedule_in_progress",
  "slot_taken",
  "appointment_not_confirmed",
  "outside_hours",
  "past_time",
  "resource_archived",
  "service_not_offered",
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

/**
 * Calls without an API key: the slug in the path and a signature replace it. `inbound.ts` serves
 * them.
 */
export function inboundOperations(): Record<string, { post: ZodOpenApiOperationObject }> {
  return {
    "/api/webhooks/inbound/{slug}": {
      post: operationOf({
        operationId: "postInboundWebhook",
        tag: inboundTag,
        summary: "Have another system create, update or tag a contact",
        call: inboundCall,
        answer: inboundAnswer,
        errors: inboundErrors,
      }),
    },
    "/api/webhooks/voice/{slug}": {
      post: operationOf({
        operationId: "postVoiceWebhook",
        tag: voiceTag,
        summary: "Have a voice assistant book, move or cancel an appointment",
        call: voiceCall,
        answer: voiceAnswer,
        errors: voiceErrors,
      }),
    },
  };
}

interface SignedCall {
  operationId: string;
  tag: string;
  summary: string;
  call: z.ZodType;
  answer: z.ZodType;
  errors: readonly ErrorCode[];
}

function operationOf(signed: SignedCall): ZodOpenApiOperationObject {
  const { operationId, tag, summary, call, answer, errors } = signed;
  const envelope = z.strictObject({ success: z.literal(true), data: answer });
  return {
    operationId,
    tags: [tag],
    summary,
    description: "The URL and its secret come from the Dashboard. At most 300 calls per minute.",
    security: [],
    requestParams: { path: z.object({ slug }), header: headers },
    requestBody: {
      required: true,
      content: { "application/json": { schema: call, example: sampleOf(call) } },
    },
    responses: {
      "200": {
        description: "Done, or nothing to do.",
        content: {
          "application/json": {
            schema: envelope,
            example: { success: true, data: sampleOf(answer) },
          },
        },
      },
      ...refusals(errors),
    },
  };
}
