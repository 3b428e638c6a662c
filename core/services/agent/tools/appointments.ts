import { MoreThan } from "typeorm";
import { Appointment } from "../../../../db/entities/appointment.ts";
import { Contact } from "../../../../db/entities/contact.ts";
import type { ToolAppointment, ToolInput } from "../../../agent/tools.ts";
import { midnightOf } from "../../../agent/local-time.ts";
import { WriteConflict } from "../../../errors.ts";
import { agentSource } from "../../../model/appointment.ts";
import { getAppointmentRow } from "../../appointments/appointment-records.ts";
import { commitReschedule, requestReschedule } from "../../appointments/appointment-reschedules.ts";
import { cancelAppointment } from "../../appointments/appointment-status.ts";
import { bookAppointment } from "../../appointments/appointments.ts";
import { plainDurationMinutes } from "../../appointments/free-slots.ts";
import { updateContact } from "../../contacts/contacts.ts";
import { requireAnswer, requireWrittenName } from "./customer-words.ts";
import { getOwnAppointment, presentOwn } from "./own-appointments.ts";
import { offeringNear, ToolRefused, type WantedTime } from "./refusals.ts";
import { chooseService, findOffer, getFreeResource, momentOf } from "./slots.ts";
import type { Tool, ToolRun } from "./tool-run.ts";

/** Source in events. Rule C43. */
const source = agentSource;
/** Bookings of a contact in a day of the account's zone. */
const maxBookingsADay = 3;
const maxListed = 10;

/** Appointments ahead that were made in this conversation. */
export const listAppointments: Tool<"list_appointments"> = async (run) => {
  const { tx, conversation } = run;
  const { accountId, id: conversationId, contactId } = conversation;
  const rows = await tx.manager.find(Appointment, {
    where: {
      accountId,
      conversationId,
      contactId,
      status: "confirmed",
      startTime: MoreThan(tx.now),
    },
    order: { startTime: "ASC", id: "ASC" },
    take: maxListed,
  });
  return { result: { appointments: await presentOwn(run, rows) } };
};

/** Checks and books in one call. A refused time comes with the nearest free times. */
export const bookForCustomer: Tool<"book_appointment"> = async (run, input) => {
  const { tx, conversation } = run;
  await requireFewBookings(run);
  const { offeredAt, ...named } = await getNamedTime(run, input);
  await requireAnswer(run, { since: offeredAt, wanted: { ...named, appointmentId: null } });
  const serviceId = await chooseService(run, named.serviceId);
  const wanted = { ...named, serviceId };
  const resourceId = await getFreeResource(run, wanted);
  await ensureName(run, input.name);
  const row = await offeringNear(
    wanted,
    async () =>
      await bookAppointment(tx, {
        resourceId,
        ...(serviceId === null ? { durationMinutes: plainDurationMinutes } : { serviceId }),
        startTime: wanted.startTime,
        customer: { contactId: conversation.contactId },
        conversationId: conversation.id,
        source,
      }),
  );
  return await tellOf(run, row);
};

/** Moves an appointment at once, as a new one that replaces it (rule C70). */
export const moveForCustomer: Tool<"reschedule_appointment"> = async (run, input) => {
  const { tx } = run;
  const before = await getOwnAppointment(run, input.appointment_id);
  const { offeredAt, resourceId, ...named } = await getNamedTime(run, input);
  const wanted: WantedTime = {
    ...named,
    serviceId: before.serviceId,
    resourceId: resourceId ?? before.resourceId,
    exceptAppointmentId: before.id,
  };
  await requireAnswer(run, { since: offeredAt, wanted: { ...wanted, appointmentId: before.id } });
  const move = await offeringNear(wanted, async () => {
    return await requestReschedule(tx, {
      appointmentId: before.id,
      startTime: wanted.startTime,
      resourceId: await getFreeResource(run, wanted),
      mode: "replace",
      source,
    });
  });
  if (move === null) throw new ToolRefused("already_there");
  const done = await commitReschedule(tx, move.id);
  if (done.state !== "committed") throw new WriteConflict();
  return await tellOf(run, await getAppointmentRow(tx, done.appointmentId));
};

/** Cancels an appointment. */
export const cancelForCustomer: Tool<"cancel_appointment"> = async (run, input) => {
  const { tx } = run;
  const before = await getOwnAppointment(run, input.appointment_id);
  await requireAnswer(run);
  const { reason } = input;
  return await tellOf(
    run,
    await cancelAppointment(tx, { appointmentId: before.id, source, reason }),
  );
};

async function tellOf(
  run: ToolRun,
  row: Appointment,
): Promise<{ result: ToolAppointment; appointmentId: number }> {
  const [result] = await presentOwn(run, [row]);
  if (result === undefined) throw new Error("An appointment has no view.");
  return { result, appointmentId: row.id };
}

/** The count follows the ledger. The contact is locked, so two bookings cannot both be the last. */
async function requireFewBookings({ tx, conversation, timeZone }: ToolRun): Promise<void> {
  const midnight = midnightOf(tx.now, timeZone);
  const [row] = await tx.manager.query<{ made: number }[]>(
    `SELECT COUNT(*) AS made FROM agent_tool_calls FORCE INDEX (agent_tool_calls_contact)
      WHERE contact_id = ? AND created_at >= ? AND account_id = ?
        AND tool = 'book_appointment' AND code = 'ok'`,
    [conversation.contactId, midnight, conversation.accountId],
  );
  if (Number(row?.made ?? 0) >= maxBookingsADay) throw new ToolRefused("too_many_bookings");
}

type Target = Pick<
  ToolInput<"book_appointment">,
  "slot_ref" | "service_id" | "resource_id" | "day" | "time"
>;

/**
 * The time that a call names: a day with a time, or an offered one. `offeredAt` is null for a day
 * with a time.
 * @throws ToolRefused `not_found`, `time_needed`, `invalid_input`
 */
async function getNamedTime(
  run: ToolRun,
  input: Target,
): Promise<WantedTime & { offeredAt: Date | null }> {
  const { slot_ref: ref, day, time } = input;
  if (ref !== undefined) {
    const found = await findOffer(run, ref);
    if (found === null) {
      throw new ToolRefused("not_found", "This offer has expired. Call find_slots again.");
    }
    const { start, service_id: serviceId, resource_id: resourceId } = found.offer;
    const { offeredAt } = found;
    return { startTime: new Date(start), serviceId, resourceId, offeredAt };
  }
  if (day === undefined || time === undefined) throw new ToolRefused("time_needed");
  return {
    startTime: momentOf(run, day, time),
    serviceId: input.service_id ?? null,
    resourceId: input.resource_id ?? null,
    offeredAt: null,
  };
}

/** @throws ToolRefused `name_needed`, `not_confirmed_by_customer` */
async function ensureName(run: ToolRun, name: string | undefined): Promise<void> {
  const { tx, conversation } = run;
  const { id, accountId, contactId, channel } = conversation;
  const contact = await tx.manager.findOneByOrFail(Contact, { accountId, id: contactId });
  if (contact.name !== null) return;
  if (name === undefined) throw new ToolRefused("name_needed");
  await requireWrittenName(run, name);
  await updateContact(tx, contactId, { name: name.trim() }, { conversationId: id, channel });
}
