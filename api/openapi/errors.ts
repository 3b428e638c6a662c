import { z } from "zod";
import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { ErrorDetails } from "../../core/errors.ts";
import { errorCatalogue, type ErrorCode } from "../../core/model/error-catalogue.ts";
import { namesOf } from "../../core/model/inbound-action.ts";
import { inboundActions } from "../../core/model/inbound.ts";

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
export function refusals(codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const byStatus: Record<number, ErrorCode[]> = {};
  for (const code of new Set(codes)) (byStatus[errorCatalogue[code].status] ??= []).push(code);
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, same] of Object.entries(byStatus)) {
    responses[`${Number(status)}` as "400"] = {
      description: same.map((code) => `\`${code}\``).join(", "),
      content: { "application/json": refusal(same) },
    };
  }
  return responses;
}

function refusal(codes: ErrorCode[]): ZodOpenApiMediaTypeObject {
  const error = { type: "object" as const, properties: { code: { enum: codes } } };
  return {
    schema: { $ref: "#/components/schemas/Error", type: "object", properties: { error } },
    examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
  };
}

function exampleOf(code: ErrorCode): z.output<typeof errorBody> {
  const { message } = errorCatalogue[code];
  const details = exampleDetails[code] ?? null;
  return { success: false, error: { code, message, details, request_id: "req_5oNnBp1zQk0w" } };
}

const exampleDetails: Partial<Record<ErrorCode, ErrorDetails>> = {
  appointment_ambiguous: {
    appointments: [
      { appointment_id: 311, start_time: "2026-03-05T16:00:00.000Z", resource_id: 7 },
      { appointment_id: 340, start_time: "2026-03-19T16:00:00.000Z", resource_id: 7 },
    ],
  },
  appointment_not_begun: { start_time: "2026-03-05T16:00:00.000Z" },
  appointment_replaced: { replaced_by_appointment_id: 340 },
  contact_conflict: { phone_contact_id: 8841, email_contact_id: 9102 },
  insufficient_scope: {
    required_scope: "contacts:write",
    granted_scopes: ["contacts:read"],
  },
  invalid_template_params: {
    expected: [{ place: "body", key: "1", kind: "text", required: true, example: "Ana" }],
    problems: [{ path: "body.1", code: "required", message: "This value is missing." }],
  },
  outside_hours: { reason: "opening_hours" },
  slot_taken: { reason: "appointment" },
  unsupported_event: { supported_events: namesOf(inboundActions) },
  validation_error: [
    {
      path: "body.phone",
      code: "invalid_phone",
      message: "Use 8 to 15 digits with the country code.",
    },
  ],
};
