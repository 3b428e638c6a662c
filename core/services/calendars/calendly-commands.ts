import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { request } from "../outbox/outbox.ts";

/** A row of an account. */
interface Owned {
  id: number;
  accountId: number;
}

/** Command that starts the workflow that applies a stored webhook. */
export function calendlyRequestCommand({ id, accountId }: Owned): WorkflowCommand {
  return {
    op: "start",
    workflow: "applyCalendly",
    workflowId: `calendly-request-${id}`,
    taskQueue: "conversations",
    input: { accountId, requestId: id },
    summary: `webhook ${id} of Calendly`,
  };
}

/** Command that starts the workflow that waits for the other half of an invitee's move. */
export function calendlyPairCommand({ id, accountId }: Owned): WorkflowCommand {
  return {
    op: "start",
    workflow: "pairCalendly",
    workflowId: `calendly-${id}`,
    taskQueue: "conversations",
    input: { accountId, inviteeId: id },
    summary: `move or cancel invitee ${id} of Calendly`,
  };
}

/** Command that wakes the workflow that reads a connection, and starts one that has ended. */
export function calendlyReadCommand({ id, accountId }: Owned): WorkflowCommand {
  return {
    op: "signal",
    signal: "wake",
    again: true,
    workflow: "reconcileCalendly",
    workflowId: `reconcile-calendly-${id}`,
    taskQueue: "conversations",
    input: { accountId, connectionId: id },
    summary: `read bookings of Calendly connection ${id}`,
  };
}

/** Command that starts the workflow that tells Calendly of a change of ours. */
export function calendlyTellCommand(
  { id, accountId }: Owned,
  appointment: { id: number; version: number },
): WorkflowCommand {
  return {
    op: "start",
    workflow: "tellCalendly",
    workflowId: `tell-calendly-${appointment.id}-${appointment.version}`,
    taskQueue: "conversations",
    input: { accountId, inviteeId: id },
    summary: `tell Calendly of appointment ${appointment.id}`,
    appointmentId: appointment.id,
  };
}

/** Has a connection read as soon as possible. */
export async function requestCalendlyRead(tx: Tx, connectionId: number): Promise<void> {
  await request(tx, calendlyReadCommand({ id: connectionId, accountId: tx.actor.accountId }));
}
