import { ChannelTemplate } from "../../../db/entities/channel-template.ts";
import type { Tx } from "../../../db/transaction.ts";
import { defineTemplate } from "../../channels/meta/template-definition.ts";
import { templateMessage, type GraphTemplate } from "../../channels/meta/template-message.ts";
import { AppError, type ErrorDetails } from "../../errors.ts";
import type { AttachmentKind } from "../../model/attachment.ts";
import { minuteMs } from "../../model/durations.ts";
import { isMetaDriver, type ChannelDriver } from "../../model/channels.ts";
import type { MessageError, Template } from "../../model/message.ts";
import { listSlots, type TemplateDefinition } from "../../model/template.ts";
import { describeSlots, fillTemplate, type TemplateProblem } from "../../model/template-check.ts";
import { renderContent } from "../../model/template-text.ts";
import { findOwned } from "../sql.ts";
import { findSync, noTemplates, wabaOf, type TemplateChannel } from "./template-syncs.ts";

/** A list that is older than this answers for no template that it lacks. */
const freshMs = 10 * minuteMs;

/** Result of looking at a template before it is recorded, and again before it is sent. */
export type TemplateVerdict =
  /** A channel without a list, such as the sandbox: nothing is checked. */
  | { state: "free" }
  | { state: "ready"; content: string; template: GraphTemplate }
  /** The list may be too old to know the template. It has to be read first. */
  | { state: "unread"; wabaId: string; isRequested: boolean; failure: string | null }
  | { state: "refused"; refusal: TemplateRefusal };

/** Reason why a template cannot be sent. */
export interface TemplateRefusal {
  code: "invalid_template_params" | "template_unavailable";
  message: string;
  details: ErrorDetails;
}

/** A list that nobody has read or requested yet. */
const neverRead = { syncedAt: null, requestedAt: null, failedAt: null, failure: null };

/**
 * Looks a template up in the list of its channel, and puts the values in. The list alone decides:
 * nothing waits for the channel.
 * @param writtenAt time of the message. A list that was read at about that time, or later, is asked.
 * @param file kind of the message's file, which is the heading
 */
export async function judgeTemplate(
  tx: Tx,
  channel: TemplateChannel & { driver: ChannelDriver },
  template: Template,
  writtenAt: Date,
  file: AttachmentKind | null,
): Promise<TemplateVerdict> {
  // The sandbox takes any template. Web chat has none, so its visitor would read nothing.
  if (channel.driver !== "web" && !isMetaDriver(channel.driver)) return { state: "free" };
  const wabaId = wabaOf(channel);
  if (wabaId === null) return refuse("template_unavailable", noTemplates);
  const { name, language } = template;
  const row = await findOwned(tx, ChannelTemplate, { wabaId, name, language });
  const known = row?.goneAt === null ? row : null;
  if (known?.status === "approved") return judgeValues(known, template, file);
  const sync = await findSync(tx, wabaId);
  const since = writtenAt.getTime() - freshMs;
  const { syncedAt, requestedAt, failedAt, failure } = sync ?? neverRead;
  if (syncedAt === null || syncedAt.getTime() <= since) {
    const isRequested = requestedAt !== null;
    const hasFailed = !isRequested && failedAt !== null && failedAt > writtenAt;
    return { state: "unread", wabaId, isRequested, failure: hasFailed ? failure : null };
  }
  return refuse(
    "template_unavailable",
    known === null
      ? `WhatsApp lists no template "${name}" in ${language}. Check both, or create it at Meta.`
      : `The template "${name}" in ${language} is ${known.status} at WhatsApp. Choose an approved one.`,
  );
}

function judgeValues(
  row: ChannelTemplate,
  { params }: Template,
  file: AttachmentKind | null,
): TemplateVerdict {
  const { name, language } = row;
  const definition = definitionOf(row);
  if (definition.unsupported !== null) {
    const part = definition.unsupported;
    const message = `The template "${name}" has a part that cannot be filled in here: ${part}.`;
    return refuse("template_unavailable", message);
  }
  const check = fillTemplate(definition, params, file);
  if (!check.ok) return refuseValues(row, definition, check.problems);
  return {
    state: "ready",
    content: renderContent(definition, check.filled),
    template: templateMessage({ name, language }, definition, check.filled),
  };
}

function refuse(code: TemplateRefusal["code"], message: string): TemplateVerdict {
  return { state: "refused", refusal: { code, message, details: null } };
}

function refuseValues(
  { name, language }: ChannelTemplate,
  definition: TemplateDefinition,
  problems: readonly TemplateProblem[],
): TemplateVerdict {
  const slots = listSlots(definition);
  const [first] = problems;
  const words = first === undefined ? "" : ` ${first.path}: ${first.message}`;
  const refusal = {
    code: "invalid_template_params",
    message: `The template "${name}" (${language}) takes ${describeSlots(slots)}.${words}`,
    details: { expected: slots, problems: [...problems] },
  } as const;
  return { state: "refused", refusal };
}

/** A template in our words. */
export function definitionOf({ components, format }: ChannelTemplate): TemplateDefinition {
  return defineTemplate(components, format);
}

/** The refusal as an error of a call. */
export function templateError({ code, message, details }: TemplateRefusal): AppError {
  return new AppError(code, { message, details });
}

/** The refusal as the reason of a failed message. */
export function templateFailure({ code, message }: TemplateRefusal): MessageError {
  return { code, message, provider_code: null };
}

/** Texts for a list that could not be read, by the reason. */
export function unreadableList(failure: string): MessageError {
  const cause =
    failure === "refused" || failure === "token_refused"
      ? "Meta refused the access. Give the token the permission whatsapp_business_management."
      : "Meta did not answer in time. Send the template again later.";
  const message = `The templates of this number could not be read. ${cause}`;
  return { code: "template_unavailable", message, provider_code: null };
}
