import { expect, test } from "vitest";
import { keepChanges } from "../../../api/live/keep-changes.ts";
import { recordChanges } from "../../../core/services/outbox/changes.ts";
import { asSystem, createTestAccount } from "../../support/accounts.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => {
  const database = await createTestDatabase();
  const { accountId } = await createTestAccount(database.dataSource);
  return { ...database, accountId };
});

async function record(count: number): Promise<void> {
  const { dataSource, accountId } = fixture;
  const changes = Array.from({ length: count }, () => ({ kind: "contact.updated" }) as const);
  await asSystem(dataSource, accountId, (tx) => recordChanges(tx, changes));
}

async function countUnnumbered(): Promise<number> {
  const [row] = await fixture.dataSource.query<{ left: string }[]>(
    "SELECT COUNT(*) AS `left` FROM changes WHERE seq IS NULL",
  );
  return Number(row?.left);
}

test("pages of changes are numbered with rests, in which callers pass", async () => {
  await record(2_500);
  const before = await countUnnumbered();
  const left: number[] = [];
  await keepChanges(fixture.dataSource, async (ms) => {
    expect(ms).toBeGreaterThan(0);
    left.push(before - (await countUnnumbered()));
  });
  expect(left.slice(0, 2)).toEqual([1_000, 2_000]);
  expect(await countUnnumbered()).toBe(0);
});

test("a minute that ends before the pages of the one before begins no second round", async () => {
  await record(1_500);
  let rests = 0;
  await keepChanges(fixture.dataSource, async () => {
    const waiting = await countUnnumbered();
    await keepChanges(fixture.dataSource, () => Promise.reject(new Error("a second round")));
    expect(await countUnnumbered()).toBe(waiting);
    rests += 1;
  });
  expect(rests).toBeGreaterThan(0);
  expect(await countUnnumbered()).toBe(0);
});
