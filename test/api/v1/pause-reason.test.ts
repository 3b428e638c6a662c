import { expect, test } from "vitest";
import { freshPhone } from "../../support/contact-load.ts";
import { tracesOf } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

const call = async (method: string, path: string, body?: unknown) =>
  await fixture.api.call(method, `/api/v1${path}`, { apiKey: fixture.account.apiKey, body });

/** A new conversation, and the bot call on it with everything that the call leaves behind. */
async function open() {
  const { id } = (await call("POST", "/conversations", { phone: freshPhone() })).json.data;
  const { dataSource } = fixture.database;
  const setBot = async (enabled: boolean, reason?: string) =>
    await tracesOf(dataSource, fixture.account.accountId, async () =>
      call("POST", `/conversations/${id}/bot`, { enabled, reason }),
    );
  const handoff = async () => (await call("GET", `/conversations/${id}`)).json.data.handoff;
  return { id: Number(id), setBot, handoff };
}

const reasonNote = (text: string) => ({ kind: "bot_reason", text, params: null, user_id: null });

test("another reason of a repeated pause replaces the one shown, without an event", async () => {
  const { id, setBot, handoff } = await open();
  await setBot(false, "wants a person");
  const before = await handoff();
  const again = await setBot(false, "wants a refund");
  expect([again.result.status, again.result.json]).toStrictEqual([
    200,
    { success: true, data: { conversation_id: id, bot_enabled: false } },
  ]);
  expect([again.events, again.commands]).toStrictEqual([[], []]);
  expect(again.notes).toStrictEqual([reasonNote("wants a refund")]);
  expect(await handoff()).toStrictEqual({ ...before, reason: "wants a refund" });
});

test("a pause without a reason gets the one that comes later", async () => {
  const { setBot, handoff } = await open();
  await setBot(false);
  const again = await setBot(false, "wants a person");
  expect(again.notes).toStrictEqual([reasonNote("wants a person")]);
  expect(await handoff()).toMatchObject({ reason: "wants a person" });
});

test("a repeated pause without a reason keeps the one shown", async () => {
  const { setBot, handoff } = await open();
  await setBot(false, "wants a person");
  expect(await setBot(false)).toMatchObject({ events: [], notes: [] });
  expect(await handoff()).toMatchObject({ reason: "wants a person" });
});

test("a reason to enable the agent is noted once, also where the agent is on already", async () => {
  const { setBot } = await open();
  await setBot(false, "wants a person");
  const enabled = await setBot(true, "refund is paid");
  expect(enabled.notes).toMatchObject([{ kind: "bot_enabled", text: "refund is paid" }]);
  expect(await setBot(true, "refund is paid")).toMatchObject({ events: [], notes: [] });
  const other = await setBot(true, "customer agreed");
  expect([other.events, other.notes]).toStrictEqual([[], [reasonNote("customer agreed")]]);
});
