import { Client, type WorkflowClientInterceptor } from "@temporalio/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createGoogleCalendar } from "../../activities/calendars/google.ts";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import { createRecoverRuns } from "../../activities/recover-runs.ts";
import type { ReadRunStates } from "../../activities/run-state.ts";
import { createLog } from "../../core/log.ts";
import { createRegistry } from "../../core/metrics.ts";
import { namingOf } from "../../core/model/installation.ts";
import type { WorkflowCommand } from "../../core/model/workflow/workflow-command.ts";
import { commitReschedule } from "../../core/services/appointments/appointment-reschedules.ts";
import { cancelAppointment } from "../../core/services/appointments/appointment-status.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import { changeReplay, draftReplay } from "../../core/services/deliveries/replays.ts";
import {
  deleteSubscription,
  pauseSubscription,
} from "../../core/services/subscriptions/subscriptions.ts";
import { createRunStates } from "../../worker/run-states.ts";
import type { ReconcileResult } from "../../workflows/reconcile.ts";
import { createAttemptFixture, type AttemptFixture } from "../activities/attempt-fixture.ts";
import { createCalendarFixture, type CalendarFixture } from "../activities/calendar-fixture.ts";
import {
  createConversationFixture,
  type ConversationFixture,
} from "../activities/conversation-fixture.ts";
import { queueMessage, readMessage } from "../activities/message-fixture.ts";
import { asSystem, createTestSubscription } from "../support/accounts.ts";
import { at } from "../support/appointments.ts";
import { receive } from "../support/conversations.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { googleOptions } from "../support/google-calendar.ts";
import {
  createNamespace,
  installTestRuntime,
  linkTemporal,
  startTestWorker,
} from "../support/worker.ts";

const log = createLog("test", "silent");
const naming = namingOf({ id: "lost22", hasPlainNames: false });
let namespace: string;
let client: Client;
let fixture: AttemptFixture;
let desk: ConversationFixture;
let calendar: CalendarFixture;

beforeAll(async () => {
  installTestRuntime();
  fixture = await createAttemptFixture();
  calendar = await createCalendarFixture(fixture.database);
});

beforeEach(async () => {
  namespace = await createNamespace();
  const { connection } = await linkTemporal(namespace);
  client = new Client({ connection, namespace });
  desk = await createConversationFixture(fixture);
  return async () => {
    await desk.sql("UPDATE messages SET status = 'failed' WHERE status IN ('queued', 'sending')");
    // A replay ends before the attempts that it has queued. The Temporal of the next test does not
    // know their runs, so they would count as lost there.
    await desk.sql(
      "UPDATE deliveries SET state = 'cancelled' WHERE state IN ('queued', 'sending', 'waiting')",
    );
    // An erasure takes a minute.
    await desk.sql("DELETE FROM contact_erasures");
    await connection.close();
  };
});

afterAll(async () => {
  await calendar.stop();
  await fixture.stop();
});

/** Tells Temporal of all that is in the outbox, on a queue that nobody polls, and ends it there. */
async function loseAllRuns(): Promise<void> {
  const rows = await desk.sql<{ command: WorkflowCommand }>(
    "SELECT command FROM outbox WHERE kind = 'request'",
  );
  for (const { command } of rows.filter((row) => row.command.op === "start")) {
    const handle = await client.workflow.start(command.workflow, {
      workflowId: naming(command.workflowId),
      taskQueue: "nobody's",
      args: [command.input],
    });
    await handle.terminate("an accident");
  }
  await desk.sql("DELETE FROM outbox");
}

const earlier: Record<string, string[]> = {
  messages: ["updated_at"],
  conversations: ["handoff_at", "handoff_due_at"],
  appointment_reschedules: ["created_at"],
  appointment_reminders: ["due_at"],
  calendar_syncs: ["requested_at"],
  replays: ["updated_at"],
  contact_erasures: ["created_at"],
  deliveries: ["updated_at"],
  subscriptions: ["updated_at"],
};

/** As if everything had been asked for so long ago. */
async function letPass(minutes: number): Promise<void> {
  for (const [table, columns] of Object.entries(earlier)) {
    const changes = columns.map((column) => `${column} = ${column} - INTERVAL ${minutes} MINUTE`);
    await desk.sql(`UPDATE ${table} SET ${changes.join(", ")}`);
  }
}

/** Runs `work` beside a worker. */
async function withWorker<T>(work: () => Promise<T>): Promise<T> {
  const google = createGoogleCalendar(googleOptions(calendar.google));
  const calendarPorts = { google };
  const worker = await startTestWorker(fixture.database, namespace, { naming, calendarPorts });
  try {
    return await work();
  } finally {
    await worker.stop();
    await google.close();
  }
}

async function runReconcile(): Promise<ReconcileResult> {
  return await client.workflow.execute("reconcile", {
    workflowId: `reconcile-${Math.random()}`,
    taskQueue: naming("ops"),
    args: [],
  });
}

async function only<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined> {
  return (await desk.sql<Row>(sql, values))[0];
}

/** Starts work that a run is to finish. @returns how to see that it was finished, all in one round. */
type Kind = () => Promise<() => Promise<void>>;

const kinds: Record<string, Kind> = {
  async message() {
    const input = await queueMessage(desk, "Hello");
    return async () => {
      const row = await readMessage(desk, input);
      expect(row?.status).toMatch(/^(sent|delivered|read)$/);
      expect(row?.tries).toBe(1);
    };
  },

  async handoff() {
    const input = await desk.handOver();
    return async () => {
      const kindsTold = (await desk.notifications(input)).map(({ kind }) => kind);
      // It began 75 minutes ago: what was due since then is made up for, and once.
      expect(kindsTold).toEqual([
        "conversation_handed_off",
        "handoff_reminder",
        "handoff_escalation",
      ]);
    };
  },

  async reschedule() {
    const row = await calendar.bookWithEvent({ startTime: at("08:00") });
    const { rescheduleId } = await calendar.requestMove(row, { startTime: at("09:00") });
    return async () => {
      const move = await only<{ state: string }>(
        "SELECT state FROM appointment_reschedules WHERE id = ?",
        rescheduleId,
      );
      expect(move?.state).toBe("committed");
      expect(calendar.shown()).toContain(`09:00 ${row.id}`);
      expect(await only("SELECT 1 FROM calendar_syncs WHERE appointment_id = ?", row.id)).toBe(
        undefined,
      );
    };
  },

  async reminder() {
    const { accountId } = calendar.account;
    const settings = JSON.stringify({ reminder_hours_before: 24 });
    await desk.sql("UPDATE accounts SET settings = ? WHERE id = ?", [settings, accountId]);
    const from = freshPhone();
    await receive(fixture.database.dataSource, accountId, { from, name: "Ana Torres" });
    const customer = { contact: { phone: from } };
    const { id } = await calendar.bookWithEvent({ customer, startTime: at("12:00") });
    await desk.sql("UPDATE appointment_reminders SET due_at = NOW() WHERE appointment_id = ?", [
      id,
    ]);
    return async () => {
      const row = await only<{ state: string }>(
        "SELECT state FROM appointment_reminders WHERE appointment_id = ?",
        id,
      );
      expect(row?.state).toBe("sent");
    };
  },

  async "calendar sync"() {
    const row = await calendar.bookWithEvent({ startTime: at("14:00") });
    await calendar.run((tx) => cancelAppointment(tx, { appointmentId: row.id, source: "panel" }));
    return async () => {
      expect(calendar.shown()).not.toContain(`14:00 ${row.id}`);
      expect(await only("SELECT 1 FROM calendar_syncs WHERE appointment_id = ?", row.id)).toBe(
        undefined,
      );
    };
  },

  async erasure() {
    const conversationId = await desk.openConversation();
    const conversation = await only<{ contact_id: number }>(
      "SELECT contact_id FROM conversations WHERE id = ?",
      conversationId,
    );
    const contactId = Number(conversation?.contact_id);
    await desk.run((tx) => eraseContact(tx, contactId));
    return async () =>
      expect(await desk.sql("SELECT id FROM messages WHERE contact_id = ?", [contactId])).toEqual(
        [],
      );
  },

  async replay() {
    const subscriptionId = await subscribe();
    const deliveryId = await publishTo(subscriptionId);
    await desk.sql("UPDATE deliveries SET state = 'discarded' WHERE id = ?", [deliveryId]);
    const replay = await desk.run(async (tx) => {
      const row = await draftReplay(tx, subscriptionId, { since: null, states: ["discarded"] });
      return await changeReplay(tx, row.id, "start");
    });
    return async () => {
      const row = await only<{ state: string; queued: number }>(
        "SELECT state, queued FROM replays WHERE id = ?",
        replay.id,
      );
      expect(row).toEqual({ state: "completed", queued: 1 });
    };
  },

  async hold() {
    const subscriptionId = await subscribe();
    const deliveryId = await publishTo(subscriptionId);
    await desk.run((tx) => pauseSubscription(tx, subscriptionId));
    return async () => expect(await stateOf(deliveryId)).toBe("held");
  },

  async cancel() {
    const subscriptionId = await subscribe();
    const deliveryId = await publishTo(subscriptionId);
    await desk.run((tx) => deleteSubscription(tx, subscriptionId));
    return async () => expect(await stateOf(deliveryId)).toBe("cancelled");
  },
};

async function subscribe(): Promise<number> {
  const { dataSource } = fixture.database;
  const target = { url: "http://127.0.0.1:9/hook", events: ["contact.created"] };
  return (await createTestSubscription(dataSource, desk.accountId, target)).id;
}

/** A delivery whose run sleeps for an hour yet, as far as MySQL knows. */
async function publishTo(subscriptionId: number): Promise<number> {
  const { deliveryIds } = await asSystem(fixture.database.dataSource, desk.accountId, (tx) =>
    publish(tx, "contact.created", eventCatalogue["contact.created"].sample, { subscriptionId }),
  );
  await desk.sql(
    "UPDATE deliveries SET state = 'waiting', next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE id = ?",
    [deliveryIds[0]],
  );
  return deliveryIds[0] ?? 0;
}

async function stateOf(deliveryId: number): Promise<string | undefined> {
  return (await only<{ state: string }>("SELECT state FROM deliveries WHERE id = ?", deliveryId))
    ?.state;
}

test.each(Object.keys(kinds))(
  "work of the kind %s whose run was terminated goes on within one round",
  async (kind) => {
    const expectFinished = await kinds[kind]?.();
    await loseAllRuns();
    await letPass(75);
    await withWorker(async () => {
      // No delivery's run was lost, only the one of the kind.
      expect(await runReconcile()).toMatchObject({ restarted: 0, discarded: 0 });
      await eventually(async () => await expectFinished?.());
    });
  },
);

test("a message that may have left is not sent again when its run is lost", async () => {
  const input = await queueMessage(desk, "Hello");
  await desk.sql(
    "UPDATE messages SET status = 'sending', tries = 1, in_flight_since = NOW(), updated_at = NOW() WHERE id = ?",
    [input.messageId],
  );
  await loseAllRuns();
  await letPass(75);
  await withWorker(async () => {
    expect(await runReconcile()).toMatchObject({ recovered: 1 });
    // The new run waits for the channel's word, as the old one would have.
    const handle = client.workflow.getHandle(naming(`message-${input.messageId}`));
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event.timerStartedEventAttributes)).toBe(true);
    });
    expect(await readMessage(desk, input)).toMatchObject({ status: "sending", tries: 1 });
    await handle.terminate();
  });
});

test("a run that is late and still there is left alone", async () => {
  const input = await queueMessage(desk, "Hello");
  await desk.sql("DELETE FROM outbox");
  const handle = await client.workflow.start("sendMessage", {
    workflowId: naming(`message-${input.messageId}`),
    taskQueue: "nobody's",
    args: [input],
  });
  await letPass(75);
  await withWorker(async () => expect(await runReconcile()).toMatchObject({ recovered: 0 }));
  expect(await readMessage(desk, input)).toMatchObject({ status: "queued" });
  await handle.terminate();
});

/** The step alone, where Temporal knows no run but these. */
function createStep({
  running = [],
  onLook = async () => {},
  runStates,
}: {
  running?: string[];
  onLook?: () => Promise<unknown>;
  runStates?: ReadRunStates;
} = {}): ReturnType<typeof createRecoverRuns> {
  const stateOf = (id: string) => (running.includes(id) ? "running" : "missing");
  const readStates = async (ids: string[]) => {
    await onLook();
    return new Map(ids.map((id) => [id, stateOf(id)] as const));
  };
  const metrics = createWorkerMetrics(createRegistry());
  return createRecoverRuns({
    dataSource: fixture.database.dataSource,
    log,
    metrics,
    runStates: runStates ?? readStates,
  });
}

test("what is in the outbox has not been lost", async () => {
  const input = await queueMessage(desk, "Hello");
  await letPass(75);
  const step = createStep();
  const page = { kind: "message", after: input.messageId - 1 };
  const next = { kind: "message", after: input.messageId };
  expect(await step.recoverRuns(page)).toEqual({ restarted: 0, next });
  await desk.sql("DELETE FROM outbox");
  expect(await step.recoverRuns(page)).toEqual({ restarted: 1, next });
  const rows = await desk.sql<{ command: WorkflowCommand }>("SELECT command FROM outbox");
  expect(rows).toMatchObject([
    { command: { op: "start", workflowId: `message-${input.messageId}`, again: true } },
  ]);
  // The second look finds the request of the first one.
  expect(await step.recoverRuns(page)).toEqual({ restarted: 0, next });
});

test("what is not late yet is not looked for, and a look ends with the last kind", async () => {
  const step = createStep();
  await desk.sql("UPDATE messages SET status = 'sent'");
  await desk.sql("UPDATE conversations SET handoff_due_at = NULL");
  await desk.sql("DELETE FROM calendar_syncs");
  await queueMessage(desk, "Hello");
  await desk.handOver();
  expect(await step.recoverRuns({ kind: null, after: 0 })).toEqual({ restarted: 0, next: null });
  const unknown = { kind: "of a later version", after: 5 };
  expect(await step.recoverRuns(unknown)).toEqual({ restarted: 0, next: null });
});

test.each([
  ["same", "16:00", "17:00"],
  ["replace", "15:00", "16:00"],
] as const)(
  "a calendar that a moved appointment waits for is its move's to bring in line (mode %s)",
  async (mode, before, after) => {
    const row = await calendar.bookWithEvent({ startTime: at(before) });
    await desk.sql("DELETE FROM outbox");
    await desk.sql("DELETE FROM calendar_syncs");
    const { rescheduleId } = await calendar.requestMove(row, { startTime: at(after), mode });
    await calendar.run((tx) => commitReschedule(tx, rescheduleId));
    await desk.sql("DELETE FROM outbox");
    await letPass(75);
    const due = await desk.sql<{ id: number }>(
      "SELECT appointment_id AS id FROM calendar_syncs ORDER BY appointment_id",
    );
    expect(due).toHaveLength(mode === "same" ? 1 : 2);
    const page = { kind: "calendar_sync", after: 0 };
    const next = { kind: "calendar_sync", after: due.at(-1)?.id };
    const moving = createStep({ running: [`reschedule-${row.id}-${rescheduleId}`] });
    expect(await moving.recoverRuns(page)).toEqual({ restarted: 0, next });
    expect(await createStep().recoverRuns(page)).toEqual({ restarted: due.length, next });
    await desk.sql("DELETE FROM calendar_syncs");
    await desk.sql("DELETE FROM outbox");
  },
);

test("work that went on while Temporal was asked is not asked for again", async () => {
  const input = await queueMessage(desk, "Hello");
  await desk.sql("DELETE FROM outbox");
  await letPass(75);
  const page = { kind: "message", after: input.messageId - 1 };
  const sent = () =>
    desk.sql("UPDATE messages SET status = 'sent' WHERE id = ?", [input.messageId]);
  expect(await createStep({ onLook: sent }).recoverRuns(page)).toMatchObject({ restarted: 0 });
  expect(await desk.sql("SELECT id FROM outbox")).toEqual([]);
});

test("a run whose state Temporal does not tell is left alone, and the others are recovered", async () => {
  const ids: number[] = [];
  for (const text of ["1", "2", "3"]) ids.push((await queueMessage(desk, text)).messageId);
  await loseAllRuns();
  await letPass(75);
  const [first = 0, broken, last] = ids;
  const describe: WorkflowClientInterceptor["describe"] = async (input, next) => {
    if (input.workflowExecution.workflowId !== naming(`message-${broken}`))
      return await next(input);
    throw new Error("INTERNAL");
  };
  const interceptors = { workflow: [{ describe }] };
  const failing = new Client({ connection: client.connection, namespace, interceptors });
  const step = createStep({ runStates: createRunStates(failing, naming, log) });
  const page = { kind: "message", after: first - 1 };
  const next = { kind: "message", after: last };
  expect(await step.recoverRuns(page)).toEqual({ restarted: 2, next });
  const rows = await desk.sql<{ command: WorkflowCommand }>("SELECT command FROM outbox");
  const asked = new Set(rows.map(({ command }) => command.workflowId));
  expect(asked).toEqual(new Set([`message-${first}`, `message-${last}`]));
});
