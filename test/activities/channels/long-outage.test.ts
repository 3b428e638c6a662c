import { expect, test } from "vitest";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { beginSend, type BookTurn } from "../../../core/services/conversations/message-sending.ts";
import { asSystem } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startSendingFixture);

/** Lets the time of a talk's messages pass. */
async function pass({ conversationId }: TestTalk, seconds: number): Promise<void> {
  await fixture.query(
    `UPDATE messages SET updated_at = updated_at - INTERVAL ? SECOND,
            created_at = created_at - INTERVAL ? SECOND,
            next_try_at = next_try_at - INTERVAL ? SECOND WHERE conversation_id = ?`,
    [seconds, seconds, seconds, conversationId],
  );
}

async function queueAll(talk: TestTalk, texts: readonly string[]): Promise<SendMessageInput[]> {
  const inputs: SendMessageInput[] = [];
  for (const text of texts) inputs.push(await talk.queue(text));
  return inputs;
}

test("messages that wait for ten minutes behind an older one still leave in their order", async () => {
  const talk = await fixture.talk("whatsapp");
  const [first, second, third] = (await queueAll(talk, ["uno", "dos", "tres"])) as [
    SendMessageInput,
    SendMessageInput,
    SendMessageInput,
  ];
  talk.standIn.script("server_error");
  for (const waitMs of [1_000, 5_000, 30_000, 120_000, 600_000]) {
    expect(await talk.step(first)).toEqual({ state: "waiting", waitMs, why: "channel" });
    for (const younger of [second, third]) {
      const outcome = await talk.step(younger);
      expect(outcome).toMatchObject({ state: "waiting", why: "order" });
      expect(outcome.state === "waiting" && outcome.waitMs >= waitMs - 1_000).toBe(true);
    }
    await pass(talk, waitMs / 1_000);
  }
  talk.standIn.script("normal");
  expect(await talk.step(first)).toMatchObject({ state: "sent" });
  // The youngest looks before the second one, as a busy worker may let it.
  const behind = await talk.step(third);
  expect(behind).toMatchObject({ state: "waiting", why: "order" });
  expect(behind.state === "waiting" && behind.waitMs < 1_000, "it looks soon again").toBe(true);
  expect(await talk.step(second)).toMatchObject({ state: "sent" });
  expect(await talk.step(third)).toMatchObject({ state: "sent" });
  const texts = talk.standIn.lines().flatMap(({ isOurs, text }) => (isOurs ? [text] : []));
  expect(texts).toEqual(["uno", "dos", "tres"]);
});

/** Passes six minutes in waits of half a minute. */
async function waitSixMinutes(talk: TestTalk, step: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < 12; n += 1) {
    await step();
    await pass(talk, 30);
  }
}

test("a text waits for an older message whose file takes longer than five minutes", async () => {
  const talk = await fixture.talk("whatsapp");
  const image = await talk.queue({ type: "image", media_url: "https://files.example/a.png" });
  const text = await talk.queue("dos");
  await waitSixMinutes(talk, async () => {
    expect(await talk.step(image)).toMatchObject({ state: "waiting", why: "file" });
  });
  expect(await talk.step(text)).toMatchObject({ state: "waiting", why: "order" });
});

test("a text behind a file that takes hours looks some times a minute, not each 300 ms", async () => {
  const talk = await fixture.talk("whatsapp");
  const image = await talk.queue({ type: "image", media_url: "https://files.example/a.png" });
  const text = await talk.queue("dos");
  await fixture.query(
    "UPDATE message_media SET created_at = created_at - INTERVAL 10 MINUTE WHERE message_id = ?",
    [image.messageId],
  );
  const waitOf = async (input: SendMessageInput, why: string): Promise<number> => {
    const outcome = await talk.step(input);
    expect(outcome).toMatchObject({ state: "waiting", why });
    return outcome.state === "waiting" ? outcome.waitMs : 0;
  };
  const minutes = 10;
  const mostLooks = minutes * 12;
  let looks = 0;
  let longestMs = 0;
  let imageMs = 0;
  let textMs = 0;
  for (let passedMs = 0; passedMs < minutes * 60_000 && looks <= mostLooks;) {
    if (imageMs <= 0) imageMs = await waitOf(image, "file");
    if (textMs <= 0) {
      textMs = await waitOf(text, "order");
      looks += 1;
      longestMs = Math.max(longestMs, textMs);
    }
    const nextMs = Math.min(imageMs, textMs);
    await pass(talk, nextMs / 1_000);
    passedMs += nextMs;
    imageMs -= nextMs;
    textMs -= nextMs;
  }
  expect(looks).toBeLessThanOrEqual(mostLooks);
  expect(longestMs).toBeLessThanOrEqual(30_300);
}, 60_000);

test("a text waits for an older message that the pace keeps for longer than five minutes", async () => {
  const talk = await fixture.talk("whatsapp");
  const [first, second] = (await queueAll(talk, ["uno", "dos"])) as [
    SendMessageInput,
    SendMessageInput,
  ];
  const { dataSource } = fixture.database;
  const full: BookTurn = async () => await Promise.resolve(30_000);
  await waitSixMinutes(talk, async () => {
    const start = await asSystem(dataSource, talk.account.accountId, (tx) =>
      beginSend(tx, first, full),
    );
    expect(start).toMatchObject({ outcome: { state: "waiting", why: "pace" } });
  });
  expect(await talk.step(second)).toMatchObject({ state: "waiting", why: "order" });
});

test("a message whose workflow is lost delays a younger one for five minutes, not for ever", async () => {
  const talk = await fixture.talk("whatsapp");
  const [, younger] = await queueAll(talk, ["perdido", "dos"]);
  if (younger === undefined) throw new Error("There is no message.");
  expect(await talk.step(younger)).toMatchObject({ state: "waiting", why: "order" });
  await pass(talk, 301);
  expect(await talk.step(younger)).toMatchObject({ state: "sent" });
});

test("short waits for an older message write nothing", async () => {
  const talk = await fixture.talk("whatsapp");
  const [, younger] = await queueAll(talk, ["uno", "dos"]);
  if (younger === undefined) throw new Error("There is no message.");
  for (let n = 0; n < 3; n += 1) await talk.step(younger);
  expect(await talk.read(younger)).toMatchObject({ status: "queued", next_try_at: null });
});
