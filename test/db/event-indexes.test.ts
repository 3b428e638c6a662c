import { expect, test } from "vitest";
import { listSources, readSource } from "../support/imports.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startMigrated } from "./own-database.ts";

const database = useFixture(startMigrated);

/** Tables to which every delivered event writes. */
const tables = ["events", "deliveries", "delivery_attempts", "outbox", "changes"];

test("a statement names each index to which every delivered event writes", async () => {
  const indexes = await database.dataSource.query<{ name: string }[]>(
    `SELECT DISTINCT index_name AS name FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND table_name IN (?) AND index_name <> 'PRIMARY'`,
    [tables],
  );
  const services = listSources("core/services").map(readSource).join("\n");
  const unnamed = indexes.filter(({ name }) => !new RegExp(`\\b${name}\\b`, "u").test(services));
  expect(indexes.length).toBeGreaterThan(tables.length);
  expect(unnamed).toEqual([]);
});
