import type { z } from "zod";
import { AppError } from "../../core/errors.ts";
import {
  inboundActions,
  inboundAnswer,
  inboundCall,
  type EndpointKind,
  type InboundOutcome,
} from "../../core/model/inbound.ts";
import { namesOf } from "../../core/model/inbound-action.ts";
import { voiceActions, voiceAnswer, voiceCall } from "../../core/model/voice.ts";
import { runInboundAction } from "../../core/services/inbound/inbound-actions.ts";
import { runVoiceAction } from "../../core/services/inbound/voice-actions.ts";
import type { AskedAction, InboundReply } from "./answer.ts";
import { parseBody } from "../http/input.ts";

/** A kind of endpoint: its actions and its answers. Everything else is common to all kinds. */
export interface InboundKind {
  kind: EndpointKind;
  path: string;
  actions: readonly string[];
  /** Parses a body whose event is one of the actions. @throws AppError `validation_error` */
  parse: (body: unknown) => AskedAction;
  present: (reply: InboundReply) => Record<string, unknown>;
  answer: z.ZodType;
}

/** Inbound webhooks. Rule C63. */
export const inboundKind: InboundKind = {
  kind: "inbound",
  path: "/api/webhooks/inbound/:slug",
  actions: namesOf(inboundActions),
  parse(body) {
    const call = parseBody(inboundCall, body);
    return { event: call.event, run: (tx) => runInboundAction(tx, call) };
  },
  present: ({ event, result, contactId }) => ({ event, result, contact_id: contactId }),
  answer: inboundAnswer,
};

/** Voice integrations, which book appointments. Rule C64. */
export const voiceKind: InboundKind = {
  kind: "voice",
  path: "/api/webhooks/voice/:slug",
  actions: namesOf(voiceActions),
  parse(body) {
    const call = parseBody(voiceCall, body);
    return { event: call.event, run: (tx) => inData(() => runVoiceAction(tx, call)) };
  },
  present: ({ event, result, contactId, appointmentId }) => {
    return { event, result, contact_id: contactId, appointment_id: appointmentId };
  },
  answer: voiceAnswer,
};

/** Moves the paths of issues from the body into `data`, where this kind has its fields. */
async function inData(run: () => Promise<InboundOutcome>): Promise<InboundOutcome> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    const details = error.details.map(({ path, ...detail }) => {
      return { path: path.replace(/^body\b/, "body.data"), ...detail };
    });
    throw new AppError(error.code, { message: error.message, details });
  }
}
