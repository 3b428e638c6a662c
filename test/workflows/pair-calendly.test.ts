import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import type { WorkflowCommand } from "../../core/model/workflow/workflow-command.ts";
import { bookVisit, moveVisit } from "../../dev/stand-in/calendly-customer.ts";
import { releaseHooks } from "../../dev/stand-in/calendly-webhooks.ts";
import type { CalendlyGuest } from "../../dev/stand-in/calendly-world.ts";
import { startCalendlyServers, type CalendlyFixture } from "../api/calendars/calendly-fixture.ts";
import { at } from "../support/appointments.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { storyOf } from "./scripted-run.ts";

const servers = useFixture(startCalendlyServers);
const temporal = useFixture(async () => {
  const fixture = await startTimeSkippingFixture();
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: { settleCalendlyPair: (input: never) => servers.steps.settleCalendlyPair(input) },
  });
  const running = worker.run();
  return {
    ...fixture,
    taskQueue,
    stop: async () => {
      worker.shutdown();
      await running;
      await fixture.stop();
    },
  };
});

const minute = 60_000;
const world = () => servers.standIn.world;

/** A booking whose cancellation, the first half of its move, has arrived. */
async function halfMoved(): Promise<{ fixture: CalendlyFixture; next: CalendlyGuest }> {
  const fixture = await servers.connect();
  const guest = await bookVisit(world(), { startTime: at("16:00") });
  await fixture.work();
  world().isHeld = true;
  const next = await moveVisit(world(), guest.id, { startTime: at("18:00") });
  const [cancelled, created] = world().waiting.splice(0);
  if (cancelled === undefined || created === undefined) throw new Error("A move has two halves.");
  world().waiting.push(cancelled);
  await releaseHooks(world());
  world().waiting.push(created);
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  await fixture.events();
  return { fixture, next };
}

async function startPair({ account }: CalendlyFixture) {
  const [row] = await servers.database.dataSource.query<{ command: WorkflowCommand }[]>(
    `SELECT command FROM outbox
      WHERE account_id = ? AND command ->> '$.workflow' = 'pairCalendly'`,
    [account.accountId],
  );
  if (row === undefined) throw new Error("A half of a move waits.");
  const { workflow, workflowId, input } = row.command;
  const { taskQueue } = temporal;
  return await temporal.client.workflow.start(workflow, { workflowId, taskQueue, args: [input] });
}

test.each([
  ["1 s", 1_000],
  ["9 min", 9 * minute],
])("the other half after %s moves the appointment, and the wait ends over", async (_, afterMs) => {
  const { fixture } = await halfMoved();
  const handle = await startPair(fixture);
  await temporal.sleep(afterMs);
  await releaseHooks(world());
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
  expect(await handle.result()).toEqual({ state: "over" });
  expect(await storyOf(handle)).toEqual(["wait 10 min", "settleCalendlyPair"]);
  expect(await fixture.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
});

test("another half that no webhook told of is found by asking Calendly", async () => {
  const { fixture } = await halfMoved();
  world().waiting.length = 0;
  world().isHeld = false;
  const handle = await startPair(fixture);
  expect(await handle.result()).toEqual({ state: "moved" });
  expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
  expect(await fixture.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
});

test("without another half the appointment is cancelled; one after 12 min confirms it again", async () => {
  const { fixture, next } = await halfMoved();
  world().guests.delete(next.id);
  const handle = await startPair(fixture);
  expect(await handle.result()).toEqual({ state: "cancelled" });
  expect(await fixture.appointments()).toEqual(["cancelled 16:00"]);
  expect(await fixture.events()).toEqual(["appointment.cancelled 16:00 calendly"]);
  await temporal.sleep(2 * minute);
  world().guests.set(next.id, next);
  await releaseHooks(world());
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
  expect(await fixture.events()).toEqual(["appointment.created 18:00 calendly"]);
});

/** Ends the wait without an answer, and requires that the appointment stays. */
async function leaveHeld(fixture: CalendlyFixture): Promise<void> {
  const handle = await startPair(fixture);
  expect(await handle.result()).toEqual({ state: "left" });
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect(await fixture.events()).toEqual([]);
}

async function connectAgain(fixture: CalendlyFixture): Promise<void> {
  const answer = await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  expect([answer.status, answer.json.data.id]).toEqual([201, fixture.connectionId]);
}

test("a disconnection during the wait keeps the appointment, and a new token moves it", async () => {
  const { fixture } = await halfMoved();
  world().waiting.length = 0;
  await fixture.call("POST", `/calendars/${fixture.connectionId}/disconnect`);
  await leaveHeld(fixture);
  await connectAgain(fixture);
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", changed: 1 });
  expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
  expect(await fixture.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
});

test("a token that Calendly refuses keeps the appointment until a new one tells of no other half", async () => {
  const { fixture, next } = await halfMoved();
  world().waiting.length = 0;
  world().guests.delete(next.id);
  world().bookings.delete(next.eventId);
  world().fault = { kind: "status", status: 401, resetSeconds: 0, left: 1 };
  await leaveHeld(fixture);
  expect(await fixture.readAll()).toEqual({ state: "over" });
  await connectAgain(fixture);
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", changed: 1 });
  expect(await fixture.appointments()).toEqual(["cancelled 16:00"]);
  expect(await fixture.events()).toEqual(["appointment.cancelled 16:00 calendly"]);
});

test("a refusal that is no answer keeps the appointment until the next read", async () => {
  const { fixture } = await halfMoved();
  world().waiting.length = 0;
  world().fault = { kind: "status", status: 403, resetSeconds: 0, left: 1 };
  await leaveHeld(fixture);
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", changed: 1 });
  expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
  expect(await fixture.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
});
