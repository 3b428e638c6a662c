import { z } from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import {
  attemptHeader,
  eventIdHeader,
  eventTypeHeader,
  loopGuardHeader,
  maxAttempts,
  signatureHeader,
  webhookIdHeader,
  webhookSignatureHeader,
  webhookTimestampHeader,
} from "../../core/model/workflow/delivery.ts";
import { eventTypes, type EventType } from "../../core/model/event-types.ts";
import { eventCatalogue, eventEnvelope, sampleEvent } from "../../core/model/events.ts";

/** The tag of all webhooks. */
export const webhookTag = "Webhooks";

const headers = z.object({
  [eventTypeHeader]: z.enum(eventTypes).describe("The event's type, as in the body."),
  [eventIdHeader]: z.uuid().describe("The event's id, as in the body: the same on every attempt."),
  [signatureHeader]: z
    .string()
    .describe("`sha256=` and the hex HMAC SHA-256 of the raw body, keyed with the secret's text."),
  [attemptHeader]: z.int().min(1).max(maxAttempts).describe("1 on the first attempt."),
  [loopGuardHeader]: z.string().describe("The same on every delivery; our own API refuses it."),
  [webhookIdHeader]: z.uuid().describe("The event's id, for Standard Webhooks."),
  [webhookTimestampHeader]: z.int().describe("When this attempt was sent, in seconds since 1970."),
  [webhookSignatureHeader]: z.string().describe("`v1,` and the base64 signature of each secret."),
});

/** Webhooks that subscriptions receive, one entry for each event type. */
export function webhooks(): Record<string, { post: ZodOpenApiOperationObject }> {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type) }]));
}

function webhookOf(type: EventType): ZodOpenApiOperationObject {
  const { summary, data } = eventCatalogue[type];
  const example = sampleEvent(type);
  const schema = eventEnvelope.extend({ event_type: z.literal(type), data });
  return {
    operationId: `on${type
      .split(/[._]/)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join("")}`,
    tags: [webhookTag],
    summary,
    security: [],
    requestParams: { header: headers },
    requestBody: { content: { "application/json": { schema, example } } },
    responses: { "2XX": { description: "Answer within 8 seconds; anything else is tried again." } },
  };
}
