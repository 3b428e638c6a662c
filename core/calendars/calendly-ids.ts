/** Ids of an invitee at Calendly: an invitee has an address below its event. */
export interface InviteeRef {
  eventId: string;
  inviteeId: string;
}

const idForm = "[A-Za-z0-9_-]{1,64}";
const inviteeForm = new RegExp(`/scheduled_events/(${idForm})/invitees/(${idForm})/?$`, "u");

/** Collections whose members we name. */
export type CalendlyCollection =
  | "users"
  | "organizations"
  | "event_types"
  | "scheduled_events"
  | "invitee_no_shows"
  | "webhook_subscriptions";

/**
 * The id at the end of an address of Calendly, such as `https://api.calendly.com/users/ABC`. Calls
 * are built from ids alone, so an address in a payload is never followed.
 * @returns null for another address
 */
export function calendlyId(
  collection: CalendlyCollection,
  uri: string | null | undefined,
): string | null {
  return new RegExp(`/${collection}/(${idForm})/?$`, "u").exec(uri ?? "")?.[1] ?? null;
}

/** The ids in the address of an invitee, or null for another address. */
export function inviteeRef(uri: string | null | undefined): InviteeRef | null {
  const [, eventId, inviteeId] = inviteeForm.exec(uri ?? "") ?? [];
  return eventId === undefined || inviteeId === undefined ? null : { eventId, inviteeId };
}
