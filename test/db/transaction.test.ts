import { afterAll, beforeAll, expect, test } from "vitest";
import type { DataSource, QueryRunner } from "typeorm";
import { errorNumber, WriteConflict } from "../../core/errors.ts";
import { recordChange } from "../../core/services/outbox/changes.ts";
import { insertWebhooks } from "../../core/services/channels/channel-webhooks.ts";
import { signalDelivery } from "../../core/services/outbox/outbox.ts";
import {
  onCommittedChange,
  onCommittedChannelWork,
  onCommittedOutboxRows,
  oneStatement,
  rehearse,
  snapshot,
  transaction,
  type Tx,
} from "../../db/transaction.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let dataSource: DataSource;
const options = { actor: { type: "system", accountId: 1 } } as const;

beforeAll(async () => {
  ({ dataSource } = database);
  await dataSource.query("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB");
  await dataSource.query("INSERT INTO t VALUES (1, 0), (2, 0)");
});

afterAll(async () => {
  await dataSource.query("DROP TABLE t");
});

const rows = async () =>
  await dataSource.query<{ id: number; n: number }[]>("SELECT id, n FROM t ORDER BY id");
const add = async (tx: Tx, id: number) =>
  await tx.manager.query("UPDATE t SET n = n + 1 WHERE id = ?", [id]);

test("an error of any kind rolls everything back", async () => {
  const before = await rows();
  const failing = transaction(dataSource, options, async (tx) => {
    await add(tx, 1);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await rows()).toEqual(before);
});

test("two transactions in opposite order both take effect: the victim of the deadlock runs again", async () => {
  const before = await rows();
  let tries = 0;
  let arrived = 0;
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => (meet = resolve));
  const both = [
    [1, 2],
    [2, 1],
  ].map(([first, second]) =>
    transaction(dataSource, options, async (tx) => {
      tries += 1;
      await add(tx, Number(first));
      if ((arrived += 1) === 2) meet();
      await met;
      await add(tx, Number(second));
    }),
  );
  await Promise.all(both);
  expect(tries).toBe(3);
  expect(await rows()).toEqual(before.map(({ id, n }) => ({ id, n: n + 2 })));
});

async function holdRow(id: number): Promise<QueryRunner> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT * FROM t WHERE id = ? FOR UPDATE", [id]);
  return runner;
}

async function letGo(runner: QueryRunner): Promise<void> {
  await runner.rollbackTransaction();
  await runner.release();
}

test("a lock wait that times out undoes the whole transaction, which then runs again as a whole", async () => {
  const before = await rows();
  const holder = await holdRow(2);
  const seen: (number | null)[] = [];
  let tries = 0;
  await transaction(dataSource, options, async (tx) => {
    tries += 1;
    await tx.manager.query("SET SESSION innodb_lock_wait_timeout = 1");
    await add(tx, 1);
    try {
      await add(tx, 2);
    } catch (error) {
      seen.push(errorNumber(error));
      await letGo(holder);
      throw error;
    } finally {
      await tx.manager.query("SET SESSION innodb_lock_wait_timeout = 5");
    }
  });
  expect([tries, seen]).toEqual([2, [1205]]);
  expect(await rows()).toEqual(before.map(({ id, n }) => ({ id, n: n + 1 })));
});

test("once transactions have taken as long as a call has deadline, no other one and no other try begins", async () => {
  const before = await rows();
  const deadline = { remainingMs: 100 };
  let tries = 0;
  const slow = transaction(dataSource, { ...options, deadline }, async (tx) => {
    tries += 1;
    await tx.manager.query("SELECT SLEEP(0.15)");
    await add(tx, 1);
    throw new WriteConflict();
  });
  await expect(slow).rejects.toMatchObject({ code: "ETIMEDOUT" });
  for (const run of [transaction, snapshot]) {
    const another = run(dataSource, { ...options, deadline }, async () => (tries += 1));
    await expect(another).rejects.toMatchObject({ code: "ETIMEDOUT" });
  }
  expect(tries).toBe(1);
  expect(await rows()).toEqual(before);
});

test("four lost races are the end, and nothing is left of any of them", async () => {
  const before = await rows();
  let tries = 0;
  const losing = transaction(dataSource, options, async (tx) => {
    tries += 1;
    await add(tx, 1);
    throw new WriteConflict();
  });
  await expect(losing).rejects.toBeInstanceOf(WriteConflict);
  expect(tries).toBe(4);
  expect(await rows()).toEqual(before);
});

test("a transaction reads what others have committed meanwhile", async () => {
  await transaction(dataSource, options, async (tx) => {
    const read = async () =>
      (await tx.manager.query<{ n: number }[]>("SELECT n FROM t WHERE id = 1"))[0]?.n;
    const first = await read();
    await dataSource.query("UPDATE t SET n = n + 1 WHERE id = 1");
    expect(await read()).toBe(Number(first) + 1);
  });
});

test("a snapshot does not, and it cannot write", async () => {
  await snapshot(dataSource, options, async (tx) => {
    const read = async () =>
      (await tx.manager.query<{ n: number }[]>("SELECT n FROM t WHERE id = 1"))[0]?.n;
    const first = await read();
    await dataSource.query("UPDATE t SET n = n + 1 WHERE id = 1");
    expect(await read()).toBe(first);
  });
  const before = await rows();
  const writing = snapshot(dataSource, options, async (tx) => await add(tx, 1));
  await expect(writing).rejects.toMatchObject({ errno: 1792 });
  expect(await rows()).toEqual(before);
  await transaction(dataSource, options, async (tx) => await add(tx, 1));
});

test("a transaction that is not to be tried again throws at once", async () => {
  let tries = 0;
  const failing = transaction(dataSource, options, async (tx) => {
    tries += 1;
    await tx.manager.query("INSERT INTO t VALUES (1, 0)");
  });
  await expect(failing).rejects.toMatchObject({ errno: 1062 });
  expect(tries).toBe(1);
});

test("every connection speaks UTC and READ COMMITTED, whatever the server's default", async () => {
  const readings = await Promise.all(
    Array.from({ length: 20 }, () =>
      dataSource.query(
        "SELECT @@transaction_isolation AS isolation, @@time_zone AS zone, SLEEP(0.01) AS s",
      ),
    ),
  );
  for (const [reading] of readings) {
    expect(reading).toMatchObject({ isolation: "READ-COMMITTED", zone: "+00:00" });
  }
});

test("a commit with changes is told once, and nothing else is", async () => {
  let told = 0;
  const stop = onCommittedChange(dataSource, () => void (told += 1));
  const change = async (tx: Tx) => {
    // A part of a transaction with another actor is still a part of it.
    const part: Tx = { ...tx, actor: { type: "contact", accountId: 1 } };
    await recordChange(part, { kind: "contact.updated", contactId: 1 });
    expect(told).toBe(0);
  };
  const failing = transaction(dataSource, options, async (tx) => {
    await change(tx);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await rehearse(dataSource, options, change);
  await transaction(dataSource, options, async (tx) => await add(tx, 1));
  expect(told).toBe(0);
  await transaction(dataSource, options, change);
  expect(told).toBe(1);
  stop();
  told = 0;
  await transaction(dataSource, options, change);
  expect(told).toBe(0);
});

test("a commit that wrote outbox rows is told once, and nothing else is", async () => {
  let told = 0;
  let changesTold = 0;
  const stops = [
    onCommittedOutboxRows(dataSource, () => void (told += 1)),
    onCommittedChange(dataSource, () => void (changesTold += 1)),
  ];
  const write = async (tx: Tx) => {
    await signalDelivery(tx, { id: 1, run: 1 }, { signal: "cancel" });
    await signalDelivery({ ...tx }, { id: 2, run: 1 }, { signal: "cancel" });
    expect(told).toBe(0);
  };
  const failing = transaction(dataSource, options, async (tx) => {
    await write(tx);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await rehearse(dataSource, options, write);
  await transaction(dataSource, options, async (tx) => await add(tx, 1));
  expect(told).toBe(0);
  await transaction(dataSource, options, write);
  expect([told, changesTold]).toEqual([1, 0]);
  for (const stop of stops) stop();
  told = 0;
  await transaction(dataSource, options, write);
  expect(told).toBe(0);
});

test("a statement that stored webhooks is told once, and one that failed is not", async () => {
  let told = 0;
  let rowsTold = 0;
  const stops = [
    onCommittedChannelWork(dataSource, () => void (told += 1)),
    onCommittedOutboxRows(dataSource, () => void (rowsTold += 1)),
  ];
  const store = async (accountId: number) =>
    await oneStatement(dataSource, options, async (tx) => {
      const webhook = { channelAppId: 1, body: Buffer.from("{}"), receivedAt: tx.now };
      await insertWebhooks(tx, [{ accountId, ...webhook }]);
      expect(told).toBe(0);
    });
  await expect(store(Number.NaN)).rejects.toThrow("NaN");
  await oneStatement(dataSource, options, async (tx) => await tx.manager.query("SELECT 1"));
  expect(told).toBe(0);
  await store(1);
  expect([told, rowsTold]).toEqual([1, 0]);
  for (const stop of stops) stop();
});
