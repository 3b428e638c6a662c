import { Appointment } from "../../../../db/entities/appointment.ts";
import type { ToolAppointment } from "../../../agent/tools.ts";
import { findOwned } from "../../sql.ts";
import { readTimePresenter } from "./present-times.ts";
import { ToolRefused } from "./refusals.ts";
import type { ToolRun } from "./tool-run.ts";

/**
 * A confirmed appointment of this conversation. The agent cannot verify who writes, so that it
 * reaches no other appointment, not even of the same contact.
 * @throws ToolRefused `not_found`, `appointment_not_confirmed`
 */
export async function getOwnAppointment(
  { tx, conversation }: ToolRun,
  id: number,
): Promise<Appointment> {
  const { id: conversationId, contactId } = conversation;
  const row = await findOwned(tx, Appointment, { id, conversationId, contactId });
  if (row === null) throw new ToolRefused("not_found");
  if (row.status !== "confirmed") throw new ToolRefused("appointment_not_confirmed");
  return row;
}

/** Appointments as results of tools show them. */
export async function presentOwn(run: ToolRun, rows: Appointment[]): Promise<ToolAppointment[]> {
  const present = await readTimePresenter(run, rows);
  return rows.map((row) => ({ appointment_id: row.id, ...present(row, row.serviceId) }));
}
