import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  createContact,
  dashboard,
  deliveriesOf,
  postsTo,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);

test("what was skipped while the subscription was disabled is replayed once, after a pause too", async () => {
  const { id } = await subscribe(fixture, "/replayed");
  await dashboard(fixture, "PATCH", `/subscriptions/${id}`, { state: "disabled" });
  for (let index = 0; index < 120; index += 1) await createContact(fixture);
  await dashboard(fixture, "PATCH", `/subscriptions/${id}`, { state: "active" });
  const draft = await dashboard(fixture, "POST", `/subscriptions/${id}/replays`);
  expect(draft.json.data).toMatchObject({ state: "draft", total: 120 });
  const path = `/replays/${draft.json.data.id}`;
  const progress = async () => (await dashboard(fixture, "GET", path)).json.data;
  await dashboard(fixture, "POST", `${path}/start`);
  await eventually(async () => expect((await progress()).queued).toBeGreaterThanOrEqual(100));
  const paused = await dashboard(fixture, "POST", `${path}/pause`);
  if (paused.status === 200) await dashboard(fixture, "POST", `${path}/resume`);
  await eventually(async () =>
    expect(await progress()).toMatchObject({ state: "completed", queued: 120, passed_over: 0 }),
  );
  await eventually(async () => {
    const rows: { state: string; run: number }[] = await deliveriesOf(fixture, id);
    expect(new Set(rows.map(({ state, run }) => `${state} ${run}`))).toEqual(
      new Set(["delivered 2"]),
    );
    expect(postsTo(fixture, "/replayed")).toHaveLength(120);
  });
  const ids = postsTo(fixture, "/replayed").map(({ headers }) => headers["x-service-event-id"]);
  expect(new Set(ids).size).toBe(120);
});
