import { beforeEach, expect, test } from "vitest";
import {
  commitReschedule,
  releaseReschedule,
  requestReschedule,
} from "../../../core/services/appointments/appointment-reschedules.ts";
import type { Tx } from "../../../db/transaction.ts";
import { asSystem } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import {
  createResource,
  createTestLink,
  headingOf,
  hiddenIn,
  slotsIn,
  weekOf,
  type TestLink,
} from "./booking-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

// No worker runs here: a move goes on when a test says so.

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));
let link: TestLink;
/** The page of the appointment, below the link. */
let place: string;
/** When it is, and two free times after it. */
let first: string;
let second: string;
let third: string;

beforeEach(async () => {
  link = await createTestLink(fixture);
  [first = "", second = "", third = ""] = await link.slots();
  place = await link.book();
});

async function run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return await asSystem(fixture.database.dataSource, link.account.accountId, work);
}

async function appointment() {
  const [row] = await fixture.query<{
    id: number;
    start_time: Date;
    status: string;
    source: string;
  }>("SELECT id, start_time, status, source FROM appointments WHERE account_id = ? ORDER BY id", [
    link.account.accountId,
  ]);
  if (row === undefined) throw new Error("no appointment");
  return row;
}

/** The move that is under way. */
async function held(): Promise<number> {
  return await eventually(async () => {
    const [row] = await fixture.query<{ id: number }>(
      "SELECT id FROM appointment_reschedules WHERE account_id = ? AND state = 'requested'",
      [link.account.accountId],
    );
    expect(row).toBeDefined();
    return Number(row?.id);
  });
}

function timeOf(slot: string): Date {
  return new Date(Number(slot.split("-")[1]) * 1000);
}

const move = async (slot: string) => await link.post(`${place}/move`, { slot });

test("times to move to are those of the resource, and following a link moves nothing", async () => {
  const choices = await link.get(`${place}/move`);
  expect([choices.status, headingOf(choices.text)]).toEqual([200, "Choose a new time"]);
  expect(slotsIn(choices.text)[0]).toBe(second);
  const question = await link.get(`${place}/move?slot=${second}`);
  expect([question.status, headingOf(question.text)]).toEqual([200, "Move the appointment?"]);
  expect(hiddenIn(question.text)).toEqual({ slot: second });
  expect((await appointment()).start_time).toEqual(timeOf(first));
  const moves = await fixture.query("SELECT id FROM appointment_reschedules WHERE account_id = ?", [
    link.account.accountId,
  ]);
  expect(moves).toEqual([]);
});

test("an appointment can be moved to a time that overlaps its own", async () => {
  await fixture.query("UPDATE services SET step_minutes = 15 WHERE id = ?", [link.serviceId]);
  const quarter = `${link.resourceId}-${timeOf(first).getTime() / 1000 + 900}`;
  expect(await link.slots()).not.toContain(quarter);
  const choices = slotsIn((await link.get(`${place}/move`)).text);
  expect(choices).toContain(quarter);
  expect(choices).not.toContain(first);
  expect(headingOf((await link.get(`${place}/move?slot=${quarter}`)).text)).toBe(
    "Move the appointment?",
  );
  const answering = move(quarter);
  await run(async (tx) => commitReschedule(tx, await held()));
  expect((await answering).status).toBe(303);
  expect((await appointment()).start_time).toEqual(timeOf(quarter));
});

test("the times to move to have room for the appointment as it was booked, whatever the service is now", async () => {
  const { id } = await appointment();
  const at = timeOf(first).getTime();
  await fixture.query("UPDATE appointments SET end_time = ?, blocked_until = ? WHERE id = ?", [
    new Date(at + 60 * 60_000),
    new Date(at + 90 * 60_000),
    id,
  ]);
  // The half hour that the service takes by now would fit before this booking, the appointment would not.
  const later = { name: "Ben", phone: "+52 1 55 8765 4321", email: "" };
  const busy = `${link.resourceId}-${at / 1000 + 4 * 3600}`;
  await link.post("/new", { ...(await link.form(busy)), ...later });
  const choices = slotsIn((await link.get(`${place}/move`)).text).map((slot) =>
    timeOf(slot).getTime(),
  );
  const offered = (minutes: number) => choices.includes(at + minutes * 60_000);
  expect([120, 150, 180, 210, 240, 270].map(offered)).toEqual([
    true,
    true,
    false,
    false,
    false,
    true,
  ]);
  const slot = (minutes: number) => `${link.resourceId}-${at / 1000 + minutes * 60}`;
  expect((await move(slot(180))).status).toBe(409);
  const answering = move(slot(150));
  await run(async (tx) => commitReschedule(tx, await held()));
  expect((await answering).status).toBe(303);
  expect((await appointment()).start_time).toEqual(timeOf(slot(150)));
});

test("a move keeps the appointment, and its page shows the new time", async () => {
  const { id } = await appointment();
  const answering = move(second);
  const reschedule = await held();
  await run((tx) => commitReschedule(tx, reschedule));
  const answer = await answering;
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    `/book/${link.slug}${place}`,
  ]);
  expect(await appointment()).toEqual({
    id,
    start_time: timeOf(second),
    status: "confirmed",
    source: "enlace",
  });
  expect((await link.events()).slice(-1)).toEqual(["appointment.rescheduled"]);
  const page = await link.get(place);
  expect(headingOf(page.text)).toBe("You are booked");
  expect(page.text).not.toContain("could not be moved");
  expect(await link.slots()).toContain(first);
});

test("a move that takes longer than 3 seconds is told, and the page looks again by itself", async () => {
  const startedAt = performance.now();
  const answer = await move(second);
  const tookMs = performance.now() - startedAt;
  expect(answer.status).toBe(303);
  expect(tookMs).toBeGreaterThan(2_500);
  expect(tookMs).toBeLessThan(8_000);
  const page = await link.get(place);
  expect(headingOf(page.text)).toBe("Your appointment is being moved");
  expect(page.text).toContain('<meta http-equiv="refresh" content="3">');
  expect(page.text).not.toContain("/cancel");
  // Sent again meanwhile it moves nothing else.
  expect((await move(third)).status).toBe(303);
  await run(async (tx) => commitReschedule(tx, await held()));
  expect((await appointment()).start_time).toEqual(timeOf(second));
  const after = await link.get(place);
  expect(headingOf(after.text)).toBe("You are booked");
  expect(after.text).not.toContain("refresh");
});

test.each(["calendar_unavailable", "calendar_refused", "cancelled_in_temporal"])(
  "a move that fails (%s) leaves the appointment, and its page says so",
  async (code) => {
    const answering = move(second);
    const reschedule = await held();
    await run((tx) => releaseReschedule(tx, reschedule, code));
    expect((await answering).status).toBe(303);
    const page = await link.get(place);
    expect(headingOf(page.text)).toBe("You are booked");
    expect(page.text).toContain("The appointment could not be moved and stays as it was.");
    expect((await appointment()).start_time).toEqual(timeOf(first));
  },
);

test("a time that went to somebody else is told, and others are offered", async () => {
  await link.post("/new", {
    ...(await link.form(second)),
    name: "Luis",
    phone: "",
    email: "l@x.co",
  });
  const answer = await move(second);
  expect([answer.status, headingOf(answer.text)]).toEqual([409, "Choose a new time"]);
  expect(answer.text).toContain("That time is no longer free.");
  expect(slotsIn(answer.text)[0]).toBe(third);
  const question = await link.get(`${place}/move?slot=${second}`);
  expect([question.status, headingOf(question.text)]).toEqual([409, "Choose a new time"]);
});

test("a time lost while the move was under way is told, too", async () => {
  const answering = move(second);
  const reschedule = await held();
  await run((tx) => releaseReschedule(tx, reschedule, "slot_taken"));
  expect((await answering).status).toBe(409);
});

test("a time that is not offered is refused, and so is another resource", async () => {
  const { accountId } = link.account;
  const other = await createResource(fixture, accountId);
  const seconds = timeOf(first).getTime() / 1000;
  const never = await createResource(fixture, accountId, { weeklyHours: weekOf([]) });
  const slots = [
    `${link.resourceId}-${seconds + 60}`,
    `${link.resourceId}-${seconds - 30 * 86_400}`,
    `${link.resourceId}-${seconds + 61 * 86_400}`,
    `${other}-${seconds + 3600}`,
    `${never}-${seconds + 3600}`,
  ];
  for (const slot of slots) expect([slot, (await move(slot)).status]).toEqual([slot, 409]);
  const nothing = await move("x");
  expect([nothing.status, nothing.headers.get("location")]).toEqual([
    303,
    `/book/${link.slug}${place}/move`,
  ]);
  expect((await appointment()).start_time).toEqual(timeOf(first));
});

test("to where it is already an appointment need not be moved", async () => {
  expect((await move(first)).status).toBe(303);
  expect(await link.events()).not.toContain("appointment.rescheduled");
});

test("an appointment that is cancelled cannot be moved", async () => {
  await link.post(`${place}/cancel`, {});
  const answer = await move(second);
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    `/book/${link.slug}${place}`,
  ]);
  expect(await appointment()).toMatchObject({ status: "cancelled", start_time: timeOf(first) });
});

test("a cancellation gives up the move that is under way", async () => {
  const answering = move(second);
  const reschedule = await held();
  expect((await link.post(`${place}/cancel`, {})).status).toBe(303);
  expect((await answering).status).toBe(303);
  const outcome = await run((tx) => commitReschedule(tx, reschedule));
  expect(outcome).toMatchObject({ state: "released" });
  expect(await appointment()).toMatchObject({ status: "cancelled", start_time: timeOf(first) });
  expect(headingOf((await link.get(place)).text)).toBe("This appointment is cancelled");
});

test("where the agent replaced the appointment, the page is that of the new one", async () => {
  const { id } = await appointment();
  await run(async (tx) => {
    const times = { appointmentId: id, startTime: timeOf(third) };
    const made = await requestReschedule(tx, { ...times, mode: "replace", source: "agente" });
    await commitReschedule(tx, made?.id ?? 0);
  });
  const page = await link.get(place);
  expect(headingOf(page.text)).toBe("You are booked");
  await link.post(`${place}/cancel`, {});
  const rows = (await link.appointments()).map(({ status }) => status);
  expect(rows).toEqual(["rescheduled", "cancelled"]);
});
