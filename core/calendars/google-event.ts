import { z } from "zod";

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const moment = z.object({ date: text, dateTime: text }).optional().catch(undefined);

const person = z.object({ email: text, displayName: text, self: flag });
const attendee = person.extend({ responseStatus: text, organizer: flag, resource: flag });

/**
 * An event of Google Calendar v3, as far as we read it. A removed event carries only `id` and
 * `status`, so everything else may be absent.
 */
export const googleEvent = z.object({
  id: z.string().min(1),
  etag: text,
  status: text,
  updated: text,
  summary: text,
  description: text,
  eventType: text,
  transparency: text,
  visibility: text,
  iCalUID: text,
  recurringEventId: text,
  start: moment,
  end: moment,
  organizer: person.optional().catch(undefined),
  attendees: z.array(attendee).optional().catch(undefined),
});
export type GoogleEventBody = z.output<typeof googleEvent>;
export type GoogleAttendee = z.output<typeof attendee>;

/**
 * The series of an instance: the id before Google's suffixes. Instances are named
 * `base_20260115T100000Z`. After a change of "this and following" the later ones are named
 * `base_R20260115T100000_20260122T110000Z`.
 * @returns null for an event that belongs to no series
 */
export function seriesOf({
  id,
  recurringEventId,
}: Pick<GoogleEventBody, "id" | "recurringEventId">): string | null {
  const instance = /^(.+)_\d{8}(?:T\d{6}Z?)?$/u.exec(id);
  const series = recurringEventId ?? instance?.[1];
  return series === undefined ? null : series.replace(/_R\d{8}(?:T\d{6}Z?)?$/u, "");
}
