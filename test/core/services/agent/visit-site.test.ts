import { expect, test } from "vitest";
import { basicStep } from "../../../../core/agent/basic/basic-agent.ts";
import type { AgentContext } from "../../../../core/agent/context.ts";
import { insertRow } from "../../../api/api-fixture.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive } from "../../../support/conversations.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture, takeTurn, type TurnPlace } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);

async function writeOn(from: string): Promise<number> {
  const { accountId } = fixture.account;
  const { row } = await receive(fixture.database.dataSource, accountId, {
    channel: "web",
    from,
    content: "hola",
  });
  return row.conversationId;
}

test("the agent reads the page, without its query, and what the site tells", async () => {
  const from = `v_${freshPhone()}`;
  const conversationId = await writeOn(from);
  await insertRow({ database: fixture.database }, "widget_sessions", {
    account_id: fixture.account.accountId,
    widget_id: 1,
    channel_account_id: 1,
    visitor_id: from,
    conversation_id: conversationId,
    token_hash: Buffer.from(from.padEnd(32)),
    expires_at: new Date(),
    locale: "es",
    page: JSON.stringify({ url: "https://shop.example/cart?id=7", title: "Cart", referrer: "" }),
    context: JSON.stringify({ plan: "pro" }),
    last_seen_at: new Date(),
  });
  const sites: AgentContext["site"][] = [];
  // The turn answers the message of this conversation.
  const place: TurnPlace = {
    account: fixture.account,
    run: async (work) => await fixture.run(work),
    sql: async (statement, values) => await fixture.sql(statement, values),
    commit: async (turn, options) => await fixture.commit(turn, options),
    repliesIn: async (id, after) => await fixture.repliesIn(id, after),
    write: async () => await Promise.resolve({ conversationId, messageId: 0 }),
  };
  await takeTurn(place, "hola", from, (context) => {
    sites.push(context.site);
    return basicStep(context);
  });
  expect(sites[0]).toEqual({
    page: "https://shop.example/cart",
    title: "Cart",
    facts: { plan: "pro" },
  });
});
