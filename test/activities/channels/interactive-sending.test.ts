import { expect, test } from "vitest";
import { beginSend } from "../../../core/services/conversations/message-sending.ts";
import { retryMessage } from "../../../core/services/conversations/message-retry.ts";
import { metaNetworks } from "../../../dev/stand-in/meta-accounts.ts";
import { asSystem } from "../../support/accounts.ts";
import { noPace } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startSendingFixture);

const options = [
  { id: "slot-10", title: "Monday 10:00" },
  { id: "slot-12", title: "Monday 12:00" },
];
const twoSlots = { type: "interactive", interactive: { kind: "slots", body: "When?", options } };
/** Too long for every network's buttons, so the customer answers by number. */
const numbered = {
  type: "interactive",
  interactive: {
    kind: "list",
    body: "When?",
    options: options.map((one) => ({ ...one, title: `${one.title} with Doctor Martinez` })),
  },
};

interface StoredMessage {
  id: number;
  type: string;
  content: string;
  interactive: Record<string, unknown> | null;
  reply_to_message_id: number | null;
}

async function newest({ conversationId }: TestTalk): Promise<StoredMessage | undefined> {
  const [row] = await fixture.query<StoredMessage>(
    `SELECT id, type, content, interactive, reply_to_message_id FROM messages
      WHERE conversation_id = ? ORDER BY id DESC LIMIT 1`,
    [conversationId],
  );
  return row;
}

test("WhatsApp shows two options as buttons, with our ids", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue(twoSlots);
  expect(await newest(talk)).toMatchObject({
    type: "interactive",
    content: "When?",
    interactive: { kind: "slots", options, sent_as: "buttons" },
  });
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  const buttons = options.map((reply) => ({ type: "reply", reply }));
  expect(talk.bodies()).toMatchObject([
    { type: "interactive", interactive: { type: "button", action: { buttons } } },
  ]);
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "read" });
});

test("WhatsApp shows more options, or their descriptions, as a list", async () => {
  const talk = await fixture.talk("whatsapp");
  const rows = options.map((one) => ({ ...one, description: "30 min" }));
  const interactive = { ...twoSlots.interactive, options: rows };
  expect(await talk.run(await talk.queue({ ...twoSlots, interactive }))).toMatchObject({
    state: "sent",
  });
  expect(talk.bodies()).toMatchObject([
    { interactive: { type: "list", action: { button: "See options", sections: [{ rows }] } } },
  ]);
});

test.each(["messenger", "instagram"] as const)(
  "%s shows options as quick replies",
  async (network) => {
    const talk = await fixture.talk(network);
    expect(await talk.run(await talk.queue(twoSlots))).toMatchObject({ state: "sent" });
    const quick_replies = options.map(({ id, title }) => ({
      content_type: "text",
      title,
      payload: id,
    }));
    expect(talk.bodies()).toMatchObject([{ message: { text: "When?", quick_replies } }]);
  },
);

test.each([
  ["whatsapp", "button", "button_reply"],
  ["whatsapp", "list", "list_reply"],
  ["messenger", "button", "quick_reply"],
  ["instagram", "button", "quick_reply"],
] as const)("%s: an answer by %s names the option's id", async (network, kind, type) => {
  const talk = await fixture.talk(network);
  await talk.run(await talk.queue(twoSlots));
  const deed = { kind, text: "Monday 12:00", choiceId: "slot-12" };
  await talk.standIn.receive(network, deed);
  await talk.settle();
  expect(await newest(talk)).toMatchObject({
    type: "interactive",
    content: "Monday 12:00",
    interactive: { type, id: "slot-12" },
  });
});

test.each(metaNetworks)(
  "%s: long options go as numbered text, and 2 is the second",
  async (network) => {
    const talk = await fixture.talk(network);
    const input = await talk.queue(numbered);
    await talk.run(input);
    const text =
      "When?\n\n1. Monday 10:00 with Doctor Martinez\n2. Monday 12:00 with Doctor Martinez";
    expect(talk.standIn.calls()).toMatchObject([{ answered: 200, send: { text } }]);
    await talk.standIn.receive(network, { kind: "text", text: " 2. " });
    await talk.settle();
    const answer = await newest(talk);
    expect(answer).toMatchObject({
      type: "text",
      content: " 2. ",
      interactive: {
        type: "text_reply",
        id: "slot-12",
        title: "Monday 12:00 with Doctor Martinez",
      },
    });
    expect(Number(answer?.reply_to_message_id)).toBe(input.messageId);
  },
);

test("a number that no option has, or that answers a later text, stays a text", async () => {
  const talk = await fixture.talk("whatsapp");
  await talk.run(await talk.queue(numbered));
  const write = async (text: string) => {
    await talk.standIn.receive("whatsapp", { kind: "text", text });
    await talk.settle();
    return await newest(talk);
  };
  expect(await write("3")).toMatchObject({ type: "text", content: "3", interactive: null });
  await talk.run(await talk.queue("How many people?"));
  expect(await write("2")).toMatchObject({ type: "text", content: "2", interactive: null });
});

test("an answer to the options themselves counts, also after a later text", async () => {
  const talk = await fixture.talk("whatsapp");
  const asked = await talk.queue(numbered);
  await talk.run(asked);
  await talk.run(await talk.queue("How many people?"));
  const { provider_ids: targetId } = await talk.read(asked);
  await talk.standIn.receive("whatsapp", { kind: "text", text: "1", targetId: targetId ?? "" });
  await talk.settle();
  expect(await newest(talk)).toMatchObject({ interactive: { id: "slot-10" } });
});

test("options that never left are no question", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("unreachable");
  expect(await talk.run(await talk.queue(numbered))).toEqual({ state: "failed" });
  await talk.standIn.receive("whatsapp", { kind: "text", text: "1" });
  await talk.settle();
  expect(await newest(talk)).toMatchObject({ type: "text", interactive: null });
});

test("a customer who edits the number has chosen nothing", async () => {
  const talk = await fixture.talk("whatsapp");
  await talk.run(await talk.queue(numbered));
  await talk.standIn.receive("whatsapp", { kind: "text", text: "1", id: "wamid.choice" });
  await talk.settle();
  const edit = { kind: "edit", text: "None of them", targetId: "wamid.choice" } as const;
  await talk.standIn.receive("whatsapp", edit);
  await talk.settle();
  expect(await newest(talk)).toMatchObject({ content: "None of them", interactive: null });
});

test("a worker that dies in the hand-over sends the options once at most", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue(twoSlots);
  const { accountId } = talk.account;
  await asSystem(fixture.database.dataSource, accountId, (tx) => beginSend(tx, input, noPace));
  expect(await talk.step(input)).toMatchObject({ state: "waiting", why: "order" });
  await talk.outlast(input);
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  expect(talk.standIn.calls()).toEqual([]);
});

test("failed options are sent again in the form of the channel", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("unreachable", 1);
  const { messageId, accountId } = await talk.queue(twoSlots);
  expect(await talk.run({ messageId, accountId })).toEqual({ state: "failed" });
  const { row } = await asSystem(fixture.database.dataSource, accountId, (tx) =>
    retryMessage(tx, messageId, false),
  );
  expect(await talk.run({ accountId, messageId: row.id })).toMatchObject({ state: "sent" });
  expect(talk.bodies().at(-1)).toMatchObject({ interactive: { type: "button" } });
});

test("a text above the network's limit is refused, and never cut", async () => {
  const talk = await fixture.talk("instagram");
  const interactive = { ...twoSlots.interactive, body: "é".repeat(500) };
  await expect(talk.queue({ ...twoSlots, interactive })).rejects.toThrow(/999 bytes/u);
});
