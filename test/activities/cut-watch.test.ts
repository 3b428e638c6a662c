import { expect, test } from "vitest";
import { createCutWatch } from "../../activities/cut-watch.ts";
import { createTestAccount } from "../support/accounts.ts";
import { createAgentTalk } from "../support/agent.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

test("the end of a step's first try leaves the watch of its second try in place", async () => {
  const { dataSource } = database;
  const { accountId } = await createTestAccount(dataSource);
  const { turn } = await createAgentTalk(dataSource, accountId);
  const watch = createCutWatch(dataSource);
  const told: string[] = [];
  const endFirst = watch(turn.id, () => told.push("first"));
  const endSecond = watch(turn.id, () => told.push("second"));
  endFirst();
  await dataSource.query("UPDATE agent_turns SET cut_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    turn.id,
  ]);
  await eventually(() => expect(told).toEqual(["second"]));
  endSecond();
});
