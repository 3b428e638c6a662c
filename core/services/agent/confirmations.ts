import { In } from "typeorm";
import type { AgentToolCall } from "../../../db/entities/agent-turn.ts";
import { Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import { wordsOfEffect, type AppointmentEffect } from "../../agent/words.ts";
import type { Locale } from "../../model/user.ts";
import { readResourceNames } from "./resource-names.ts";

/** A call with the text that tells the customer of its effect. */
export interface Confirmation {
  call: AgentToolCall;
  text: string;
}

/**
 * Texts that tell of the effects of these calls, from the appointments' rows. A call without an
 * effect, or whose appointment was erased, has none.
 */
export async function confirmationsOf(
  tx: Tx,
  calls: readonly AgentToolCall[],
  { language, timeZone }: { language: Locale; timeZone: string },
): Promise<Confirmation[]> {
  const ids = calls.map(({ appointmentId }) => appointmentId).filter((id) => id !== null);
  if (ids.length === 0) return [];
  const { accountId } = tx.actor;
  const rows = await tx.manager.findBy(Appointment, { accountId, id: In(ids) });
  const names = await readResourceNames(tx, rows);
  return calls.flatMap((call) => {
    const row = rows.find(({ id }) => id === call.appointmentId);
    if (row === undefined || !isEffect(call.tool)) return [];
    const resourceName = names.get(row.resourceId) ?? "";
    const { startTime } = row;
    return [
      { call, text: wordsOfEffect(call.tool, { startTime, resourceName, language, timeZone }) },
    ];
  });
}

function isEffect(tool: string): tool is AppointmentEffect {
  return (
    tool === "book_appointment" ||
    tool === "reschedule_appointment" ||
    tool === "cancel_appointment"
  );
}
