import { InboundEvent } from "../../../db/entities/inbound-endpoint.ts";
import type { InboundOutcome } from "../../model/inbound.ts";
import type { IdempotentCalls } from "./idempotency.ts";

/** Inbound calls with an event id. Each endpoint has event ids of its own. */
export const inboundEvents: IdempotentCalls<InboundEvent, InboundOutcome> = {
  entity: InboundEvent,
  keyName: "event id",
  unanswered: { result: null, contactId: null, appointmentId: null },
  answerOf: ({ result, contactId, appointmentId }) =>
    result === null || contactId === null ? null : { result, contactId, appointmentId },
};
