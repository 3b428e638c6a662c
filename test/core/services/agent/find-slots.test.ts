import { expect, test } from "vitest";
import { createAgentTalk } from "../../../support/agent.ts";
import { createTestAgenda } from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

test("bounds and excluded days apply before nine times are chosen", async () => {
  const { account } = await createTestAgenda(database.dataSource);
  const talk = await createAgentTalk(database.dataSource, account.accountId, {});
  const week = { from_day: "2030-03-05", to_day: "2030-03-12", after: "17:00", until: "18:00" };
  const excluded = ["2030-03-05", "2030-03-06", "2030-03-07", "2030-03-08", "2030-03-09"];
  const found = await talk.result("find_slots", { ...week, excluded_days: excluded });
  if (!found.ok || !("slots" in found)) throw new Error(JSON.stringify(found));
  expect(found.slots.map(({ start }) => start.slice(5, 16))).toEqual([
    "03-10T17:00",
    "03-10T17:30",
    "03-11T17:00",
    "03-11T17:30",
    "03-12T17:00",
    "03-12T17:30",
  ]);
});
