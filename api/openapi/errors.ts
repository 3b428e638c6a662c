import { z } from "zod";
import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { ErrorDetails } from "../../core/errors.ts";
import { inboundActions } from "../../core/model/inbound.ts";
import { errorStatus } from "../http/errors.ts";

/** The body of every refusal. */
export const errorBody = z.strictObject({
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
    request_id: z.string().describe("The `X-Request-Id` of this answer."),
  }),
});

/**
 * One refusal for each status: the common shape of errors, its codes, and an example of each code.
 */
export function refusals(codes: readonly string[]): ZodOpenApiResponsesObject {
  const byStatus: Record<number, string[]> = {};
  for (const code of new Set(codes)) (byStatus[errorStatus(code)] ??= []).push(code);
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, same] of Object.entries(byStatus)) {
    responses[`${Number(status)}` as "400"] = {
      description: same.map((code) => `\`${code}\``).join(", "),
      content: { "application/json": refusal(same) },
    };
  }
  return responses;
}

function refusal(codes: string[]): ZodOpenApiMediaTypeObject {
  const error = { type: "object" as const, properties: { code: { enum: codes } } };
  return {
    schema: { $ref: "#/components/schemas/Error", type: "object", properties: { error } },
    examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
  };
}

function exampleOf(code: string): z.output<typeof errorBody> {
  const { message, details = null } = samples[code] ?? { message: code };
  return { success: false, error: { code, message, details, request_id: "req_5oNnBp1zQk0w" } };
}

const samples: Record<string, { message: string; details?: ErrorDetails }> = {
  appointment_ambiguous: {
    message: "The caller has several appointments ahead. Ask which one, and send its id.",
    details: {
      appointments: [
        { appointment_id: 311, start_time: "2026-03-05T16:00:00.000Z", resource_id: 7 },
        { appointment_id: 340, start_time: "2026-03-19T16:00:00.000Z", resource_id: 7 },
      ],
    },
  },
  appointment_not_begun: {
    message: "This appointment has not begun yet. Mark it once its time has come.",
    details: { start_time: "2026-03-05T16:00:00.000Z" },
  },
  appointment_not_confirmed: {
    message: "This appointment is cancelled. Only a confirmed one can be changed so.",
  },
  appointment_not_found: { message: "The caller has no appointment ahead." },
  appointment_replaced: {
    message: "Another appointment replaced this one. Change that one.",
    details: { replaced_by_appointment_id: 340 },
  },
  channel_not_connected: {
    message: "This account has no WhatsApp channel. Connect one, then send this again.",
  },
  contact_conflict: {
    message: "The phone or email belongs to another contact. Nothing was changed.",
    details: { phone_contact_id: 8841, email_contact_id: 9102 },
  },
  contact_needs_identifier: {
    message:
      "A contact keeps a phone, an email or a channel identity. Set another one before you clear this.",
  },
  contact_not_found: { message: "There is no contact with this id." },
  conversation_not_found: { message: "There is no conversation with this id." },
  endpoint_not_found: { message: "There is no endpoint at this URL." },
  idempotency_in_progress: {
    message: "The first request with this Idempotency-Key is still running. Try again in a moment.",
  },
  idempotency_key_reused: {
    message: "This Idempotency-Key was used with another body. Use a new one for a new request.",
  },
  insufficient_scope: {
    message: "This API key lacks the scope contacts:write.",
    details: { required_scope: "contacts:write", granted_scopes: ["contacts:read"] },
  },
  internal_error: {
    message:
      "Something failed on our side. Tell us the request_id of this answer if it happens again.",
  },
  invalid_api_key: { message: "This API key is unknown, revoked or expired." },
  invalid_json: { message: "The body is not valid JSON in UTF-8." },
  invalid_signature: {
    message: "The signature does not fit the body. Sign the very bytes that are sent.",
  },
  loop_detected: {
    message:
      "This is a delivery of this service itself. Send it to another system, or leave out X-Service-Loop-Guard when you call the API.",
  },
  messaging_window_closed: {
    message:
      "The customer last wrote more than 24 hours ago. Send a template, or wait for their next message.",
  },
  missing_api_key: { message: "Send your API key as Authorization: Bearer <key>." },
  missing_signature: { message: "Sign the body and send the header X-Service-Signature." },
  outside_hours: { message: "The resource is closed at this time. Choose another one." },
  past_time: { message: "This time has passed. Choose one that is to come." },
  payload_too_large: { message: "The body is larger than 1024 KiB. Send less in one request." },
  rate_limited: { message: "Too many requests. Try again in 2 s." },
  request_timeout: { message: "The body took too long to arrive. Send it again in one go." },
  reschedule_in_progress: {
    message: "This appointment is being moved. Wait until that has ended.",
  },
  resource_archived: { message: "This resource is archived. Choose another one." },
  service_not_offered: { message: "This resource does not give this service." },
  service_unavailable: {
    message: "The service cannot use its database right now. Try again in a few seconds.",
  },
  slot_taken: {
    message: "Another appointment has this time. Choose another time.",
    details: { reason: "appointment" },
  },
  unsupported_event: {
    message: `Send one of ${inboundActions.join(", ")} as event.`,
    details: { supported_events: inboundActions },
  },
  unsupported_media_type: {
    message:
      "Send the body as JSON with the header Content-Type: application/json, not compressed.",
  },
  validation_error: {
    message: "The request has 1 invalid field.",
    details: [
      {
        path: "body.phone",
        code: "invalid_phone",
        message: "Use 8 to 15 digits with the country code.",
      },
    ],
  },
};
