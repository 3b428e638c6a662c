import { beforeAll, expect, test } from "vitest";
import { createTestResource } from "../support/appointments.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { storyOf } from "../workflows/scripted-run.ts";
import { dashboard, keptOf, postsTo, startDeliveryFixture, subscribe } from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);
const name = "Jacaranda Olmedo";

beforeAll(async () => {
  const settings = { reminder_hours_before: 1, reminder_text: "{name}, see you at {time}" };
  await dashboard(fixture, "PATCH", "/account", { settings });
  await subscribe(fixture, "/sent", { events: ["message.sent"] });
});

/** Long enough for a busy machine to book in, short enough to sit through. */
const soonMs = 8_000;
const laterMs = 300_000;

/** An hour from now and some more, so that its reminder is due after that. */
const inAnHourAnd = (ms: number) => new Date(Date.now() + 3_600_000 + ms).toISOString();

/** A customer writes and then books with somebody who is free. @returns ids, and the phone. */
async function book(startTime: string) {
  const { accountId } = fixture.account;
  const resourceId = await createTestResource(fixture.database.dataSource, accountId);
  const phone = freshPhone();
  const customer = { channel: "whatsapp", from: phone, name, text: "Hola" };
  const { conversation_id } = (await dashboard(fixture, "POST", "/sandbox/messages", customer)).json
    .data;
  const answer = await dashboard(fixture, "POST", "/appointments", {
    resource_id: resourceId,
    start_time: startTime,
    duration_minutes: 1,
    contact: { phone },
  });
  expect(answer.status).toBe(201);
  return { id: answer.json.data.id as number, conversationId: conversation_id as number, phone };
}

const runOf = (id: number, run = 1) => fixture.temporal.workflow.getHandle(`reminder-${id}-${run}`);
const repliesIn = async (
  conversationId: number,
): Promise<{ content: string; status: string }[]> => {
  const { json } = await dashboard(fixture, "GET", `/conversations/${conversationId}/messages`);
  return json.data.filter(({ direction }: { direction: string }) => direction === "outbound");
};

test("a customer is reminded over the channel when it is due; Temporal learns no name, phone or word", async () => {
  const { id, conversationId, phone } = await book(inAnHourAnd(soonMs));
  expect(await eventually(() => runOf(id).result())).toEqual({ state: "sent" });
  const [message, ...more] = await eventually(async () => {
    const replies = await repliesIn(conversationId);
    expect(replies).toMatchObject([{ status: expect.stringMatching(/sent|delivered|read/) }]);
    return replies;
  });
  expect([message?.content, more]).toEqual([expect.stringContaining(`${name}, see you at`), []]);
  await eventually(() => {
    const posts = postsTo(fixture, "/sent").map(({ body }) => JSON.parse(body.toString()).data);
    expect(posts).toMatchObject([{ conversation_id: conversationId, sender_type: "system" }]);
  });
  const kept = (await keptOf(fixture, `reminder-${id}-1`)).join("\n");
  for (const secret of [name, phone, "see you at"]) expect(kept).not.toContain(secret);
  expect(kept).toContain(`reminder of appointment ${id}`);
});

test("a cancelled appointment ends its run at once, and nothing is sent", async () => {
  const { id, conversationId } = await book(inAnHourAnd(laterMs));
  await eventually(async () => expect(await storyOf(runOf(id))).toHaveLength(2));
  await dashboard(fixture, "POST", `/appointments/${id}/cancel`, {});
  expect(await eventually(() => runOf(id).result())).toEqual({ state: "cancelled" });
  expect(await storyOf(runOf(id))).toEqual([
    "sendReminder",
    expect.stringMatching(/^wait /),
    "signal changed",
    "cut",
    "sendReminder",
  ]);
  expect(await repliesIn(conversationId)).toEqual([]);
});

const leave = async () => await Promise.resolve();
const cancelRun = async (id: number) => {
  await runOf(id).cancel();
  await runOf(id).result();
};
const terminateRun = async (id: number) => void (await runOf(id).terminate());

test.each([
  { what: "waits", stop: leave, end: "COMPLETED" },
  { what: "was cancelled in Temporal", stop: cancelRun, end: "COMPLETED" },
  { what: "was terminated in Temporal", stop: terminateRun, end: "TERMINATED" },
])(
  "an appointment whose run $what is moved, and reminded of at its new time alone",
  async (one) => {
    const { id, conversationId } = await book(inAnHourAnd(laterMs));
    await eventually(async () => expect(await storyOf(runOf(id))).toHaveLength(2));
    await one.stop(id);
    const moved = await dashboard(fixture, "POST", `/appointments/${id}/reschedule`, {
      start_time: inAnHourAnd(soonMs),
    });
    expect([200, 202]).toContain(moved.status);
    expect(await eventually(() => runOf(id, 2).result())).toEqual({ state: "sent" });
    expect((await runOf(id).describe()).status.name).toBe(one.end);
    expect(await repliesIn(conversationId)).toHaveLength(1);
  },
);
