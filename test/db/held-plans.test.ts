import { expect, test } from "vitest";
import { findChannelChores } from "../../core/services/channels/channel-chores.ts";
import {
  listExpiredHeld,
  listHoldingChannels,
} from "../../core/services/channels/held-messages.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans } from "./plan-rows.ts";

const { plansOf } = usePlans(fillForPlans);

test("channels with held messages are found by an index", async () => {
  const steps = await plansOf(listHoldingChannels);
  expect(steps).toMatchObject([
    { table: "channel_accounts", key: "channel_accounts_held", type: "range" },
  ]);
});

test("held messages of a channel are found by an index", async () => {
  const steps = await plansOf((tx) => listExpiredHeld(tx, 1));
  expect(steps).toMatchObject([{ table: "messages", key: "messages_held", type: "range" }]);
});

test("a look for the channels' chores reads indexes alone", async () => {
  const steps = await plansOf(findChannelChores);
  const keys = steps.map(({ key }) => key).filter((key) => key !== null && key !== "PRIMARY");
  const indexes = ["channel_accounts_check", "channel_accounts_held", "conversations_seen_due"];
  expect(new Set(keys)).toEqual(new Set(indexes));
});
