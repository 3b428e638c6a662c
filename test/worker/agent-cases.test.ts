import { expect, test } from "vitest";
import { agentCaseCreateBody } from "../../core/model/agent-case.ts";
import { createAgentCase, requestCases } from "../../core/services/agent/cases.ts";
import { asSystem } from "../support/accounts.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startAgentFixture } from "./agent-fixture.ts";

const fixture = useFixture(startAgentFixture);

test("a run plays each case with the draft, and its history holds counts alone", async () => {
  const { accountId } = fixture.account;
  const { dataSource } = fixture.database;
  const secret = "quiero hablar con una persona llamada Zafiro";
  const expectations = [{ outcome: "handed_off" }, { outcome: "silent" }];
  await asSystem(dataSource, accountId, async (tx) => {
    for (const expected of expectations) {
      await createAgentCase(tx, agentCaseCreateBody.parse({ lines: [secret], expected }));
    }
    await requestCases(tx);
  });
  await eventually(async () => {
    const rows = await fixture.sql<{ state: string }>("SELECT state FROM agent_cases ORDER BY id");
    expect(rows.map(({ state }) => state)).toEqual(["passed", "failed"]);
  });
  const handle = fixture.client.workflow.getHandle(`agent-cases-${accountId}`);
  expect(await handle.result()).toEqual({ ran: 2, passed: 1 });
  expect(JSON.stringify(await handle.fetchHistory())).not.toContain("Zafiro");
  expect(await fixture.sql("SELECT id FROM messages")).toEqual([]);
});
