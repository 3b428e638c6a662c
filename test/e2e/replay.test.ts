import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  createContact,
  dashboard,
  deliveriesOf,
  postsTo,
  startStack,
  subscribe,
  type Stack,
} from "./delivery-fixture.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});

afterAll(async () => {
  await stack.stop();
});

test("what was skipped while the subscription was disabled is replayed once, after a pause too", async () => {
  const { id } = await subscribe(stack, "/replayed");
  await dashboard(stack, "PATCH", `/subscriptions/${id}`, { state: "disabled" });
  for (let index = 0; index < 120; index += 1) await createContact(stack);
  await dashboard(stack, "PATCH", `/subscriptions/${id}`, { state: "active" });
  const draft = await dashboard(stack, "POST", `/subscriptions/${id}/replays`);
  expect(draft.json.data).toMatchObject({ state: "draft", total: 120 });
  const path = `/replays/${draft.json.data.id}`;
  const progress = async () => (await dashboard(stack, "GET", path)).json.data;
  await dashboard(stack, "POST", `${path}/start`);
  await eventually(async () => expect((await progress()).queued).toBeGreaterThanOrEqual(100));
  const paused = await dashboard(stack, "POST", `${path}/pause`);
  if (paused.status === 200) await dashboard(stack, "POST", `${path}/resume`);
  await eventually(async () =>
    expect(await progress()).toMatchObject({ state: "completed", queued: 120, passed_over: 0 }),
  );
  await eventually(async () => {
    const rows: { state: string; run: number }[] = await deliveriesOf(stack, id);
    expect(new Set(rows.map(({ state, run }) => `${state} ${run}`))).toEqual(
      new Set(["delivered 2"]),
    );
    expect(postsTo(stack, "/replayed")).toHaveLength(120);
  });
  const ids = postsTo(stack, "/replayed").map(({ headers }) => headers["x-service-event-id"]);
  expect(new Set(ids).size).toBe(120);
});
