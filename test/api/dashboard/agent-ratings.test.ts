import { beforeEach, expect, test } from "vitest";
import { createAgentMessage } from "../../../core/services/conversations/agent-messages.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { beginTestTurn, type TestTurn } from "../../dashboard/agent-turns.ts";
import { setUpAgent } from "../../worker/agent-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;
let turn: TestTurn;
let messageId: number;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  await setUpAgent(fixture.database, admin.accountId, { strict: false });
  turn = await beginTestTurn(fixture.database, admin.accountId, { text: "Hello", name: "Ana" });
  await turn.reply("Hello! I can help you.");
  const path = `/agent-turns?conversation_id=${turn.conversationId}`;
  messageId = (await call("GET", path, admin)).json.data[0].message_id;
});

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, { cookie }: Who, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
const rate = async (who: Who, body: object, id = messageId) =>
  await call("PUT", `/messages/${id}/rating`, who, body);
const writeAsCustomer = async () =>
  await receive(fixture.database.dataSource, admin.accountId, {
    from: freshPhone(),
    content: "Hi",
  });
const ratings = async () =>
  (await call("GET", `/conversations/${turn.conversationId}/ratings`, luis)).json.data;

test("each person has one rating of a message, which is changed and removed", async () => {
  expect((await rate(admin, { value: "up" })).json.data).toMatchObject({ user_id: admin.userId });
  const why = { value: "down", reason: "wrong_facts", comment: " The price is old. " };
  expect((await rate(luis, why)).json.data).toMatchObject({
    message_id: messageId,
    user_id: luis.userId,
    reason: "wrong_facts",
    comment: "The price is old.",
  });
  await rate(luis, { value: "down", comment: "" });
  expect(await ratings()).toMatchObject([
    { user_id: luis.userId, value: "down", reason: null, comment: null },
    { user_id: admin.userId, value: "up" },
  ]);
  const [row] = await fixture.query("SELECT turn_id FROM agent_ratings WHERE user_id = ?", [
    luis.userId,
  ]);
  expect(row).toEqual({ turn_id: turn.turnId });
  // Removing a rating twice changes nothing the second time.
  for (const _ of [1, 2]) {
    expect((await call("DELETE", `/messages/${messageId}/rating`, luis)).status).toBe(200);
  }
  expect(await ratings()).toMatchObject([{ user_id: admin.userId }]);
});

test("20 clicks at once make one rating", async () => {
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      expect((await rate(luis, { value: index % 2 === 0 ? "up" : "down" })).status).toBe(200);
    }),
  );
  expect(await ratings()).toHaveLength(1);
});

test("a rating of another shape is refused", async () => {
  for (const body of [
    {},
    { value: "sideways" },
    { value: "up", reason: "other" },
    { value: "up", comment: "nice" },
    { value: "down", reason: "bad_weather" },
    { value: "down", comment: "x".repeat(501) },
  ]) {
    expect(outcomeOf(await rate(luis, body))).toBe("validation_error");
  }
  expect((await rate(luis, { value: "down", comment: "x".repeat(500) })).status).toBe(200);
});

test("messages of customers, and of other accounts, cannot be rated", async () => {
  const foreign = await createTestAccount(fixture.database.dataSource);
  const path = `/conversations/${turn.conversationId}/ratings`;
  expect(outcomeOf(await call("GET", path, foreign))).toBe("conversation_not_found");
  expect(outcomeOf(await rate(foreign, { value: "up" }))).toBe("message_not_found");
  const removal = await call("DELETE", `/messages/${messageId}/rating`, foreign);
  expect(outcomeOf(removal)).toBe("message_not_found");
  const { row } = await writeAsCustomer();
  expect(outcomeOf(await rate(luis, { value: "up" }, row.id))).toBe("message_not_found");
  expect(await ratings()).toEqual([]);
});

test("a rating is a live change of its conversation", async () => {
  await rate(luis, { value: "up" });
  const changes = await fixture.query(
    "SELECT conversation_id, message_id FROM changes WHERE account_id = ? AND kind = 'message.rated'",
    [admin.accountId],
  );
  expect(changes).toEqual([{ conversation_id: turn.conversationId, message_id: messageId }]);
});

test("turns are found by the message that they wrote", async () => {
  const other = await beginTestTurn(fixture.database, admin.accountId, {
    text: "Hi",
    name: "Luz",
  });
  await other.reply("Hello! What do you need?");
  const found = async (who: Who, id: number | string) => {
    const { json, status } = await call("GET", `/agent-turns?message_id=${id}`, who);
    return status === 200
      ? [json.meta.total, json.data.map((row: { id: number }) => row.id)]
      : status;
  };
  expect(await found(luis, messageId)).toEqual([1, [turn.turnId]]);
  const { dataSource } = fixture.database;
  // A customer's message, the message of another system, and an unknown one have no turn.
  const customers = await writeAsCustomer();
  const { conversationId } = customers.row;
  const foreign = await asSystem(dataSource, admin.accountId, (tx) =>
    createAgentMessage(tx, { conversationId, epoch: 0, watermark: 2 ** 50, content: "Hello" }),
  );
  for (const id of [customers.row.id, foreign?.id ?? 0, 999_999_999]) {
    expect([id, await found(luis, id)]).toEqual([id, [0, []]]);
  }
  expect(await found(luis, "x")).toBe(400);
  const stranger = await createTestAccount(dataSource);
  expect(await found(stranger, messageId)).toEqual([0, []]);
});
