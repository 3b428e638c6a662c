import { expect, test } from "vitest";
import { ChannelAccount } from "../../db/entities/channel-account.ts";
import { readChannelHours } from "../../core/services/channels/channel-hours.ts";
import { readTraffic } from "../../core/services/channels/channel-traffic.ts";
import type { Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans } from "./plan-rows.ts";

const { dataSource, plansOf } = usePlans(async (source) => {
  await fillForPlans(source);
  await source.query(
    "INSERT INTO channel_accounts SET id = 1, account_id = 2, channel = 'whatsapp', external_id = '1', name = 'n'",
  );
  await source.query("UPDATE messages SET status = 'failed' WHERE id % 50 = 0");
  // Most messages of a channel in use are older than a day.
  await source.query(
    "UPDATE messages SET created_at = created_at - INTERVAL 40 DAY WHERE id % 10 <> 0",
  );
  // Builds the indexes anew. Else the estimate of a range counts entries of the old times as well,
  // until MySQL's purge has removed them.
  await source.query("OPTIMIZE TABLE messages");
});

const hours = async (tx: Tx) => await readChannelHours(tx, 1);
const traffic = async (tx: Tx) => {
  return await readTraffic(tx, await tx.manager.findBy(ChannelAccount, { id: 1 }));
};
const ofMessages = async (work: (tx: Tx) => Promise<unknown>) =>
  (await plansOf(work)).filter(({ table }) => table === "messages");

test("messages of a channel are counted in an index alone, from a time on", async () => {
  const steps = await ofMessages(hours);
  const counted = steps.filter(({ key }) => key === "messages_traffic");
  expect(counted).toHaveLength(2);
  for (const step of counted) {
    expect(step.type).toBe("range");
    expect(step.Extra).toContain("Using index");
  }
});

test("failed messages are found by a time that no other message has in its index", async () => {
  for (const steps of [await ofMessages(hours), await ofMessages(traffic)]) {
    const failed = steps.filter(({ key }) => key === "messages_failed");
    expect(failed).toMatchObject([{ type: "range" }]);
  }
});

test("the last send is read in the order of an index", async () => {
  const steps = await ofMessages(traffic);
  const [last] = steps.filter(({ key }) => key === "messages_traffic");
  expect(last).toMatchObject({ type: "ref" });
  expect(last?.Extra).not.toContain("filesort");
});

test("a status that changes moves no entry of the index by time", async () => {
  const [row] = await dataSource().query<{ n: number }[]>(
    `SELECT COUNT(*) AS n FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND index_name = 'messages_traffic'
        AND column_name IN ('status', 'sent_at', 'delivered_at', 'read_at', 'updated_at')`,
  );
  expect(Number(row?.n)).toBe(0);
});
