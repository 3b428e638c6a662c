import { z } from "zod";
import { parseEmail, parsePhone } from "../model/contact.ts";
import { parseJson } from "../model/parse-json.ts";
import { calendlyId, inviteeRef, type InviteeRef } from "./calendly-ids.ts";

/** A host of an event at Calendly. */
export interface CalendlyHost {
  userId: string;
  name: string | null;
  email: string | null;
}

/** An event at Calendly: a time of its hosts, with one invitee or several. */
export interface CalendlyEvent {
  eventId: string;
  title: string;
  startTime: Date;
  endTime: Date;
  typeId: string | null;
  /** In Calendly's order. */
  hosts: CalendlyHost[];
  /** True where several invitees may take part. */
  isGroup: boolean;
  activeInvitees: number;
  /** Number of a call to the invitee, if that is the place. */
  callNumber: string | null;
  /** Id of Calendly's own copy in the host's Google calendar; null while there is none. */
  googleEventId: string | null;
  totalInvitees: number;
  updatedAt: Date;
}

/** An invitee with its event, as a webhook or the API tells it. */
export interface CalendlyInvitee extends InviteeRef {
  isActive: boolean;
  /** True where a cancellation is the first half of a move. */
  isRescheduled: boolean;
  old: InviteeRef | null;
  next: InviteeRef | null;
  name: string;
  /** As `parseEmail` returns it. */
  email: string | null;
  /** As `parsePhone` returns it: the number for reminders, an answer, or the number of the call. */
  phone: string | null;
  cancelReason: string | null;
  cancelUrl: string | null;
  rescheduleUrl: string | null;
  /** Id of the mark that the invitee did not come; null: not marked. */
  noShowId: string | null;
  updatedAt: Date;
  event: CalendlyEvent;
}

const text = z.string().nullish();
const moment = z.string().transform((value, ctx) => {
  const date = new Date(value);
  // Microseconds are cut to milliseconds.
  if (!Number.isNaN(date.getTime())) return date;
  ctx.addIssue({ code: "custom", message: "No moment." });
  return z.NEVER;
});

const eventSchema = z.object({
  uri: z.string(),
  name: text,
  start_time: moment,
  end_time: moment,
  event_type: text,
  location: z.unknown().optional(),
  event_memberships: z.array(z.object({ user: text, user_email: text, user_name: text })).nullish(),
  invitees_counter: z
    .object({
      total: z.number().nullish(),
      active: z.number().nullish(),
      limit: z.number().nullish(),
    })
    .nullish(),
  calendar_event: z.object({ kind: text, external_id: text }).nullish(),
  updated_at: moment.nullish(),
});

const inviteeSchema = z.object({
  uri: z.string(),
  status: text,
  rescheduled: z.boolean().nullish(),
  old_invitee: text,
  new_invitee: text,
  name: text,
  first_name: text,
  last_name: text,
  email: text,
  text_reminder_number: text,
  questions_and_answers: z.array(z.object({ answer: text })).nullish(),
  cancellation: z.object({ reason: text }).nullish(),
  cancel_url: text,
  reschedule_url: text,
  no_show: z.object({ uri: text }).nullish(),
  updated_at: moment.nullish(),
  created_at: moment.nullish(),
});

const callSchema = z.object({ type: z.literal("outbound_call"), location: z.string() });

/** Reads an event. @returns null for another shape. */
export function readEvent(value: unknown): CalendlyEvent | null {
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) return null;
  const { data } = parsed;
  const eventId = calendlyId("scheduled_events", data.uri);
  if (eventId === null || data.end_time <= data.start_time) return null;
  const call = callSchema.safeParse(data.location);
  const copy = data.calendar_event;
  const { active, limit, total } = data.invitees_counter ?? {};
  return {
    eventId,
    title: (data.name ?? "").trim().slice(0, 254) || "Calendly",
    startTime: data.start_time,
    endTime: data.end_time,
    typeId: calendlyId("event_types", data.event_type),
    hosts: (data.event_memberships ?? []).flatMap(readHost),
    isGroup: Math.max(limit ?? 1, total ?? 1) > 1,
    activeInvitees: active ?? 1,
    totalInvitees: total ?? 1,
    updatedAt: data.updated_at ?? new Date(0),
    callNumber: call.success ? call.data.location : null,
    googleEventId: copy?.kind === "google" ? (copy.external_id ?? null) : null,
  };
}

function readHost({
  user,
  user_email: email,
  user_name: name,
}: {
  user?: string | null | undefined;
  user_email?: string | null | undefined;
  user_name?: string | null | undefined;
}): CalendlyHost[] {
  const userId = calendlyId("users", user);
  return userId === null ? [] : [{ userId, name: name ?? null, email: email ?? null }];
}

/**
 * Reads an invitee. A webhook holds its event in `scheduled_event`; the API tells the event apart.
 * @returns null for another shape.
 */
export function readInvitee(value: unknown, event: CalendlyEvent | null): CalendlyInvitee | null {
  const parsed = inviteeSchema.safeParse(value);
  if (!parsed.success || event === null) return null;
  const { data } = parsed;
  const ref = inviteeRef(data.uri);
  if (ref === null || ref.eventId !== event.eventId) return null;
  const email = parseEmail(data.email ?? "");
  return {
    ...ref,
    isActive: data.status !== "canceled",
    isRescheduled: data.rescheduled === true,
    old: inviteeRef(data.old_invitee),
    next: inviteeRef(data.new_invitee),
    name: nameOf(data, email),
    email,
    phone: phoneOf(data, event),
    cancelReason: data.cancellation?.reason?.trim().slice(0, 500) || null,
    cancelUrl: pageUrl(data.cancel_url),
    rescheduleUrl: pageUrl(data.reschedule_url),
    noShowId: calendlyId("invitee_no_shows", data.no_show?.uri),
    updatedAt: data.updated_at ?? data.created_at ?? new Date(0),
    event,
  };
}

/** A webhook of Calendly. `invitee` is null where the payload names an invitee and no more. */
export interface CalendlyWebhook {
  kind: string;
  ref: InviteeRef | null;
  invitee: CalendlyInvitee | null;
}

const webhookSchema = z.object({
  event: z.string(),
  payload: z.object({
    uri: text,
    invitee: text,
    scheduled_event: z.unknown().optional(),
  }),
});

/** Reads the body of a webhook. @returns null for another shape. */
export function readWebhook(body: string): CalendlyWebhook | null {
  const parsed = webhookSchema.safeParse(parseJson(body));
  if (!parsed.success) return null;
  const { event: kind, payload } = parsed.data;
  const { payload: raw } = parseJson(body) as { payload: unknown };
  const invitee = readInvitee(raw, readEvent(payload.scheduled_event));
  const ref = inviteeRef(payload.uri) ?? inviteeRef(payload.invitee);
  return { kind, ref, invitee };
}

type Named = Pick<z.output<typeof inviteeSchema>, "name" | "first_name" | "last_name">;

function nameOf({ name, first_name, last_name }: Named, email: string | null): string {
  const parts = `${first_name ?? ""} ${last_name ?? ""}`.trim();
  return ((name ?? "").trim() || parts || email || "Calendly").slice(0, 254);
}

type WithPhones = Pick<
  z.output<typeof inviteeSchema>,
  "text_reminder_number" | "questions_and_answers"
>;

function phoneOf(data: WithPhones, { callNumber }: CalendlyEvent): string | null {
  const answers = (data.questions_and_answers ?? []).map(({ answer }) => answer);
  for (const given of [data.text_reminder_number, ...answers, callNumber]) {
    const phone = parsePhone((given ?? "").trim());
    if (phone !== null) return phone;
  }
  return null;
}

/** A page that people open. Only http and https, so that no script hides in the address. */
function pageUrl(given: string | null | undefined): string | null {
  const url = given ?? "";
  return url.length <= 500 && URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)
    ? url
    : null;
}
