import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json;
}

/** A customer writes and is handed to people. @returns the conversation's id. */
async function handOff(from: string): Promise<number> {
  const body = { channel: "web", from, text: "A person, please" };
  const { conversation_id: id } = (await call("POST", "/sandbox/messages", body)).data;
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  return Number(id);
}

const reply = async (id: number) =>
  await call("POST", `/conversations/${id}/messages`, { content: "Here I am." });

async function list(query: string) {
  const { data, meta } = await call("GET", `/conversations?${query}`);
  return { ids: data.map(({ id }: { id: number }) => id), total: meta.total };
}

test("a handed-off conversation waits until a person answers, and says who did", async () => {
  const id = await handOff("v1");
  const answeredBy = async () => {
    const one = (await call("GET", `/conversations/${id}`)).data;
    const [row] = (await call("GET", "/conversations")).data;
    return [one.answered_by_user_id, row.answered_by_user_id];
  };
  expect(await answeredBy()).toEqual([null, null]);
  await reply(id);
  expect(await answeredBy()).toEqual([account.userId, account.userId]);
  await call("POST", `/conversations/${id}/bot`, { enabled: true });
  expect(await answeredBy()).toEqual([null, null]);
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  expect(await answeredBy()).toEqual([null, null]);
});

test("whoever pauses the agent by answering has answered", async () => {
  const body = { channel: "web", from: "v2", text: "Hello" };
  const { conversation_id: id } = (await call("POST", "/sandbox/messages", body)).data;
  await reply(id);
  const { data } = await call("GET", `/conversations/${id}`);
  expect(data).toMatchObject({ status: "handed_off", answered_by_user_id: account.userId });
});

test("the list holds apart what waits for a person and what was answered", async () => {
  const [waiting, answered, over] = [await handOff("a"), await handOff("b"), await handOff("c")];
  await reply(answered);
  await reply(over);
  await call("PATCH", `/conversations/${over}`, { status: "resolved" });
  expect(await list("answered=false")).toEqual({ ids: [waiting], total: 1 });
  expect(await list("answered=true")).toEqual({ ids: [answered], total: 1 });
  expect(await list("status=handed_off")).toEqual({ ids: [answered, waiting], total: 2 });
});
