import { expect, test } from "vitest";
import { removeBusyBlock } from "../../core/services/calendars/busy-blocks.ts";
import { forgetStagedEvents } from "../../core/services/calendars/calendar-erasure.ts";
import { usePlans } from "../support/query-plans.ts";

const rows = 20_000;

const { plansOf } = usePlans(async (source) => {
  await source.query("SET SESSION cte_max_recursion_depth = 1000000");
  const fill = async (table: string, columns: string, select: string) =>
    await source.query(
      `INSERT INTO ${table} (${columns}) WITH RECURSIVE n (i) AS
         (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT ${select} FROM n`,
    );
  // All of one account: an index that begins with it says little.
  await fill(
    "busy_blocks",
    "account_id, resource_id, connection_id, link_id, event_id, start_time, end_time",
    "2, i % 200, i % 50, i % 200, CONCAT('event', i), '2030-01-01', '2030-01-02'",
  );
  await fill(
    "calendar_changes",
    "account_id, link_id, event_id, series_id, kind, body",
    "2, i % 200, CONCAT('event', i), 'series', 'appeared', '{}'",
  );
  await fill(
    "calendar_links",
    "account_id, connection_id, resource_id, provider, calendar_id",
    "1 + i % 100, i, i, 'google', 'c'",
  );
  await source.query("ANALYZE TABLE busy_blocks, calendar_changes, calendar_links");
});

test("a busy time is freed by its event", async () => {
  const steps = await plansOf((tx) =>
    removeBusyBlock(tx, { resourceId: 7, connectionId: 7, eventId: "event7" }),
  );
  expect(steps).toMatchObject([{ table: "busy_blocks", key: "busy_blocks_event" }]);
});

test("an erasure looks at the kept events of its own account alone", async () => {
  const person = { emails: ["ana@example.com"], phoneEndings: ["12345678"] };
  const steps = await plansOf((tx) => forgetStagedEvents(tx, person));
  expect(steps.map(({ table, key }) => [table, key])).toEqual([
    ["l", "calendar_links_account"],
    ["c", "calendar_changes_event"],
  ]);
});
