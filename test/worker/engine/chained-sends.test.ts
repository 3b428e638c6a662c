import { expect, test } from "vitest";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { createLog } from "../../../core/log.ts";
import type { SendOutcome } from "../../../core/model/workflow/sending.ts";
import { createFirstSends } from "../../../worker/engine/first-sends.ts";

const channelAccountId = 7;
/** Room of a number of which nothing has been sent. */
const room = 16;

/** Hands `room` messages of one conversation over. The network takes each from `accept` on. */
function sendOfOneConversation() {
  const sendPace = createSendPace();
  const stopping = new AbortController();
  const begun: number[] = [];
  let accept = (): void => undefined;
  const answer = new Promise<SendOutcome>((resolve) => {
    accept = () => resolve({ state: "sent", reports: [] });
  });
  const sends = createFirstSends(
    {
      log: createLog("test", "silent"),
      sendPace,
      sendToChannel: async ({ messageId }) => {
        begun.push(messageId);
        return await answer;
      },
    },
    stopping.signal,
  );
  const ids = Array.from({ length: room }, (_, index) => index + 1);
  const results = ids.map(async (messageId) => {
    const input = { accountId: 1, messageId };
    return await sends.send({ input, channelAccountId, conversationId: 1 });
  });
  return { sendPace, sends, stopping, begun, ids, accept, results: Promise.all(results) };
}

test("messages that wait for one of their conversation take room of the number, until they end", async () => {
  const { sendPace, sends, accept, begun, ids, results } = sendOfOneConversation();
  expect(sendPace.room(channelAccountId)).toBe(0);
  accept();
  expect(new Set(await results)).toEqual(new Set(["handed_over"]));
  expect(begun).toEqual(ids);
  expect(sendPace.room(channelAccountId)).toBe(room);
  expect(sends.underWay()).toBe(0);
});

test("once the relay stops, messages that wait for one of their conversation stay in the outbox", async () => {
  const { stopping, accept, begun, ids, results } = sendOfOneConversation();
  await Promise.resolve();
  stopping.abort();
  accept();
  const [first, ...others] = await results;
  expect(first).toBe("handed_over");
  expect(others).toEqual(ids.slice(1).map(() => ({ laterMs: 0 })));
  expect(begun).toEqual([1]);
});
