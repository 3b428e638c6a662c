import { beforeEach, expect, test } from "vitest";
import type { Principal } from "../../../../core/model/principal.ts";
import {
  commitReschedule,
  requestReschedule,
} from "../../../../core/services/appointments/appointment-reschedules.ts";
import {
  cancelAppointment,
  reactivateAppointment,
} from "../../../../core/services/appointments/appointment-status.ts";
import { sendReminder } from "../../../../core/services/appointments/reminders.ts";
import {
  beginSend,
  completeSend,
} from "../../../../core/services/conversations/message-sending.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import type { Appointment } from "../../../../db/entities/appointment.ts";
import { expireOnce, releaseOnce } from "../../../../worker/engine/release-held.ts";
import { at, createTestAgenda, type TestAgenda } from "../../../support/appointments.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { noPace, receive } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;
const hourMs = 3_600_000;
/** A day before 16:00, which is what tests book. */
const due = new Date(at("16:00").getTime() - 24 * hourMs);

const query = async <Row>(sql: string, values: unknown[]) =>
  await database.dataSource.query<Row[]>(sql, values);

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
  await remindBefore(24);
});

async function remindBefore(hours: number): Promise<void> {
  const settings = JSON.stringify({ reminder_hours_before: hours });
  const { accountId } = agenda.account;
  await query("UPDATE accounts SET settings = ? WHERE id = ?", [settings, accountId]);
}

async function setChannel(state: "connected" | "needs_reauth"): Promise<void> {
  await query("UPDATE channel_accounts SET state = ? WHERE account_id = ?", [
    state,
    agenda.account.accountId,
  ]);
}

/** Books an appointment whose customer has written. */
async function book(time = "16:00"): Promise<Appointment> {
  const phone = freshPhone();
  await receive(database.dataSource, agenda.account.accountId, { from: phone });
  return await agenda.book({ customer: { contact: { phone } }, startTime: at(time) });
}

/** Sends a due reminder. @returns its message */
async function remind({ id: appointmentId, accountId }: Appointment, run = 1, now = due) {
  const input = { accountId, appointmentId, run };
  expect(await agenda.run((tx) => sendReminder({ ...tx, now }, input))).toEqual({ state: "sent" });
  const [row] = await query<{ messageId: number }>(
    "SELECT message_id AS messageId FROM appointment_reminders WHERE appointment_id = ?",
    [appointmentId],
  );
  return { accountId, messageId: Number(row?.messageId) };
}

type Reminded = Awaited<ReturnType<typeof remind>>;

/** A hand-over. @returns `leaves`, or the outcome */
async function handOver(message: Reminded, now = due): Promise<string> {
  const start = await agenda.run((tx) => beginSend({ ...tx, now }, message, noPace));
  return start.go ? "leaves" : start.outcome.state;
}

const statusOf = async ({ messageId }: Reminded) =>
  (await query<{ status: string }>("SELECT status FROM messages WHERE id = ?", [messageId]))[0]
    ?.status;

const cancel = async ({ id }: Appointment) => {
  await agenda.run((tx) => cancelAppointment(tx, { appointmentId: id, source: "panel" }));
};

/** Moves an appointment at the time of its reminder. */
async function move({ id }: Appointment, time: string, mode: "same" | "replace" = "same") {
  await agenda.run(async (given) => {
    const tx = { ...given, now: due };
    const input = { appointmentId: id, startTime: at(time), mode, source: "panel" };
    const reschedule = await requestReschedule(tx, input);
    await commitReschedule(tx, Number(reschedule?.id));
  });
}

/** Ways for a reminder to wait. Each ends where the next look of its run begins. */
const waits: Record<string, (message: Reminded, change: () => Promise<void>) => Promise<void>> = {
  queued: async (_, change) => await change(),
  held: async (message, change) => {
    await setChannel("needs_reauth");
    expect(await handOver(message)).toBe("held");
    await change();
    await setChannel("connected");
    await query("UPDATE messages SET held_at = '2020-01-01' WHERE id = ?", [message.messageId]);
    expect(await releaseOnce(database)).toBe(1);
  },
  "with its channel": async (message, change) => {
    expect(await handOver(message)).toBe("leaves");
    await change();
    const trouble = { kind: "transient", scope: "number", waitMs: 0, providerCode: null } as const;
    const outcome = await agenda.run((tx) => completeSend({ ...tx, now: due }, message, trouble));
    expect(outcome.state).toBe("waiting");
  },
};

const changes: Record<string, (row: Appointment) => Promise<void>> = {
  cancelled: cancel,
  moved: async (row) => await move(row, "20:00"),
  "moved within the hours of the reminder": async (row) => await move(row, "15:00"),
  replaced: async (row) => await move(row, "20:00", "replace"),
};

test.each(
  Object.keys(waits).flatMap((wait) => Object.keys(changes).map((change) => [wait, change])),
)("a reminder that is %s does not leave once its appointment is %s", async (wait, change) => {
  const row = await book();
  const message = await remind(row);
  await waits[wait]?.(message, async () => await changes[change]?.(row));
  expect(await handOver(message, new Date(due.getTime() + hourMs))).toBe("cancelled");
  expect(await statusOf(message)).toBe("cancelled");
});

test.each(Object.keys(waits))(
  "a reminder that is %s leaves where nothing changed",
  async (wait) => {
    const message = await remind(await book());
    await waits[wait]?.(message, async () => await Promise.resolve());
    expect(await handOver(message, new Date(due.getTime() + hourMs))).toBe("leaves");
  },
);

test("the new time of a moved appointment has a reminder of its own, which leaves", async () => {
  const row = await book();
  const first = await remind(row);
  await move(row, "20:00");
  const second = await remind(row, 2, new Date(due.getTime() + 4 * hourMs));
  expect(await handOver(first)).toBe("cancelled");
  expect(await handOver(second)).toBe("leaves");
});

test("a reminder leaves where its appointment is as before again", async () => {
  const row = await book();
  const message = await remind(row);
  await cancel(row);
  await agenda.run((tx) => reactivateAppointment(tx, { appointmentId: row.id, source: "panel" }));
  await move(row, "20:00");
  await move(row, "16:00");
  expect(await handOver(message)).toBe("leaves");
});

test("a time whose reminder was taken back is reminded of anew", async () => {
  const row = await book();
  const message = await remind(row);
  await move(row, "20:00");
  expect(await handOver(message)).toBe("cancelled");
  await remindBefore(2);
  await move(row, "16:00");
  const again = await remind(row, 3, at("14:00"));
  expect(await handOver(again, at("14:00"))).toBe("leaves");
});

test("a reminder that its channel held until the start does not leave", async () => {
  const message = await remind(await book());
  expect(await handOver(message, at("16:00"))).toBe("cancelled");
});

test("after a day a held reminder fails, and one of a cancelled appointment is cancelled", async () => {
  const [kept, gone] = [await book(), await book("16:30")];
  const later = new Date(due.getTime() + hourMs);
  const messages = [await remind(kept, 1, later), await remind(gone, 1, later)];
  await setChannel("needs_reauth");
  for (const message of messages) expect(await handOver(message, later)).toBe("held");
  await cancel(gone);
  await query("UPDATE messages SET held_at = '2020-01-01' WHERE account_id = ?", [
    agenda.account.accountId,
  ]);
  expect(await expireOnce(database)).toBe(2);
  expect(await Promise.all(messages.map(statusOf))).toEqual(["failed", "cancelled"]);
});

test("a program's message with an id like a reminder's leaves", async () => {
  const row = await book();
  const { accountId, apiKeyId } = agenda.account;
  const actor: Principal = { type: "api_key", accountId, apiKeyId, scopes: [] };
  const id = `reminder-${row.id}-0-1`;
  const sent = await agenda.run((tx) => {
    const body = { type: "text", content: "Hi", external_id: id } as const;
    return sendMessage({ ...tx, actor }, row.conversationId ?? 0, body);
  });
  expect(await handOver({ accountId, messageId: sent.row.id })).toBe("leaves");
});
