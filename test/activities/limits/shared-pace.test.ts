import { expect, test } from "vitest";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { createSendShare } from "../../../activities/limits/send-share.ts";
import { createBookTurn } from "../../../activities/send-message.ts";
import type { ChannelDriver } from "../../../core/model/channels.ts";
import type { BookTurn } from "../../../core/services/conversations/message-sending.ts";
import type { Message } from "../../../db/entities/message.ts";
import { systemOf, transaction } from "../../../db/transaction.ts";
import { createTestAccount } from "../../support/accounts.ts";
import { connectWhatsApp, receive } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture } from "../channels/sending-fixture.ts";

const fixture = useFixture(startSendingFixture);

/** Records heartbeats of a certain age in seconds, in place of all others. */
async function beat(...ages: number[]): Promise<void> {
  await fixture.query("DELETE FROM worker_heartbeats", []);
  for (const [index, age] of ages.entries()) {
    await fixture.query(
      `INSERT INTO worker_heartbeats
          SET id = ?, version = '1', temporal_reachable = 1, started_at = UTC_TIMESTAMP(3),
              seen_at = UTC_TIMESTAMP(3) - INTERVAL ? SECOND`,
      [`worker-${index}`, age],
    );
  }
}

interface Worker {
  clock: { at: number };
  /** Books turns of different customers. @returns the wait of the last one */
  bookMany(count: number, more?: Partial<Parameters<BookTurn>[1]>): Promise<number>;
}

let messageId = 0;

/** The pace of a worker process of its own, at a time of its own. */
function startWorker(channelAccountId: number): Worker {
  const clock = { at: 1_000_000 };
  const book = createBookTurn(
    createSendPace(() => clock.at),
    createSendShare(() => clock.at),
  );
  const { dataSource } = fixture.database;
  return {
    clock,
    async bookMany(count, more = {}) {
      let waitMs = 0;
      for (let n = 0; n < count; n += 1) {
        const message = { id: (messageId += 1), channelAccountId, type: "text", part: null };
        const driver: ChannelDriver = "whatsapp_cloud";
        const turn = {
          message: message as Message,
          driver,
          to: `customer-${n}`,
          isCoexisting: false,
        };
        const options = systemOf();
        waitMs = await transaction(dataSource, options, (tx) =>
          book(tx, Object.assign(turn, more), 0),
        );
      }
      return waitMs;
    },
  };
}

test("two workers send the pace of one number together, and a dead one gives its part back", async () => {
  await beat(0, 5);
  const [one, other] = [startWorker(1), startWorker(1)];
  expect([await one.bookMany(41), await other.bookMany(41)]).toEqual([1_000, 1_000]);
  await beat(0, 21);
  const alone = startWorker(1);
  expect(await alone.bookMany(81)).toBe(1_000);
});

test("a worker learns of another within five seconds", async () => {
  await beat(0);
  const worker = startWorker(2);
  expect(await worker.bookMany(41)).toBe(500);
  await beat(0, 0);
  worker.clock.at += 5_000;
  expect(await worker.bookMany(41)).toBe(1_000);
});

test("without any heartbeat a worker counts itself", async () => {
  await beat();
  expect(await startWorker(3).bookMany(81)).toBe(1_000);
});

test("the share costs two reads in five seconds, however many messages go", async () => {
  await beat(0);
  const readShare = createSendShare();
  const { dataSource } = fixture.database;
  const statements = await transaction(dataSource, systemOf(), async (tx) => {
    const read = async () => {
      const [row] = await tx.manager.query<{ Value: string }[]>(
        "SHOW SESSION STATUS LIKE 'Com_select'",
      );
      return Number(row?.Value);
    };
    const before = await read();
    for (let n = 0; n < 500; n += 1) await readShare(tx, 4, true);
    return (await read()) - before;
  });
  expect(statements).toBe(2);
});

test("a customer of WhatsApp gets 45 messages of two workers together", async () => {
  await beat(0, 0);
  const sent = await Promise.all(
    [startWorker(5), startWorker(5)].map(async (worker) => {
      let count = 0;
      for (let n = 0; n < 45; n += 1) {
        worker.clock.at += 26;
        if ((await worker.bookMany(1, { to: "5215512345678" })) === 0) count += 1;
      }
      return count;
    }),
  );
  expect(sent).toEqual([22, 22]);
});

test("a number that people use in the Business app too sends 20 a second", async () => {
  await beat(0);
  expect(await startWorker(6).bookMany(21, { isCoexisting: true })).toBe(1_000);
});

test("messages of customers count on WhatsApp, and leave a quarter of the pace", async () => {
  await beat(0);
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  const busy = await connectWhatsApp(dataSource, account.accountId);
  await receive(dataSource, account.accountId, { from: "5215512345678" });
  await fixture.query(
    `INSERT INTO messages (account_id, conversation_id, contact_id, channel_account_id, channel,
            direction, type, content, sender_type, status)
     SELECT m.account_id, m.conversation_id, m.contact_id, m.channel_account_id, m.channel,
            m.direction, m.type, m.content, m.sender_type, m.status
       FROM messages m JOIN (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 399)
            SELECT i FROM n) AS numbers
      WHERE m.channel_account_id = ?`,
    [busy],
  );
  // 400 in 10 s leave 40 a second.
  expect(await startWorker(busy).bookMany(41)).toBe(1_000);
  expect(await startWorker(busy).bookMany(6, { isCoexisting: true })).toBe(1_000);
});

test.each(["messenger", "instagram_login"] as const)(
  "%s takes 10 audios and videos a second, beside its texts",
  async (driver) => {
    await beat(0);
    const worker = startWorker(8);
    const heavy = { id: 0, channelAccountId: 8, part: null };
    const waits: number[] = [];
    for (let n = 0; n < 11; n += 1) {
      const message = { ...heavy, id: (messageId += 1), type: n % 2 === 0 ? "audio" : "video" };
      waits.push(await worker.bookMany(1, { driver, message: message as Message }));
    }
    expect(waits.at(-1)).toBe(1_000);
    expect(await worker.bookMany(1, { driver })).toBeLessThan(50);
    const caption = { ...heavy, id: (messageId += 1), part: 1, type: "audio" };
    expect(await worker.bookMany(1, { driver, message: caption as Message })).toBeLessThan(50);
  },
);
