import { randomBytes } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createSecretBox, generateSecretKey } from "../../core/secrets.ts";
import { checkSecretKey, checkServer } from "../../db/boot-checks.ts";
import { createDataSource, openDatabase } from "../../db/data-source.ts";
import { openInstallation } from "../../db/open-installation.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";
import { testSecretBox } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const risks = ["innodb_flush_log_at_trx_commit must be 1, or a crash loses accepted events."];

test("a server that is not durable is told of in development and refused in production", async () => {
  // The private server of the tests does not flush.
  expect(await checkServer(database.dataSource, false)).toEqual(expect.arrayContaining(risks));
  const refused = checkServer(database.dataSource, true);
  await expect(refused).rejects.toThrow(
    /^The database server cannot be used:\n(.*\n)*? {2}innodb_flush_log_at_trx_commit must be 1/,
  );
});

test("a server that leaves gaps in the ids of one statement is refused", async () => {
  const { url } = database;
  const spaced = await createDataSource({ url, poolSize: 1 }).initialize();
  await spaced.query("SET SESSION auto_increment_increment = 7");
  await expect(checkServer(spaced, false)).rejects.toThrow(/auto_increment_increment must be 1/);
  await spaced.destroy();
});

test("a database in another character set is refused, strict or not", async () => {
  const name = `t_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = await createDatabase(inject("mysqlUrl"), name);
  const dataSource = await createDataSource({ url, poolSize: 2 }).initialize();
  await dataSource.query(`ALTER DATABASE ${name} CHARACTER SET latin1`);
  await dataSource.query(`USE ${name}`);
  const fresh = await createDataSource({ url, poolSize: 2 }).initialize();
  await expect(checkServer(fresh, false)).rejects.toThrow(/character set must be utf8mb4/);
  await dataSource.query(`DROP DATABASE ${name}`);
  await Promise.all([dataSource.destroy(), fresh.destroy()]);
});

test("a schema that is not up to date is refused with what to run", async () => {
  const name = `t_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = await createDatabase(inject("mysqlUrl"), name);
  const opening = openInstallation({ url, poolSize: 2, strict: false, secretBox: testSecretBox });
  await expect(opening).rejects.toThrow(
    "The database schema is not up to date. Run: npm run migrate",
  );
  await database.dataSource.query(`DROP DATABASE ${name}`);
});

test("an installation opens with its warnings", async () => {
  const options = { url: database.url, poolSize: 2, strict: false, secretBox: testSecretBox };
  const { dataSource, installation, warnings } = await openInstallation(options);
  expect(warnings).toEqual(expect.arrayContaining(risks));
  expect(installation).toEqual({
    id: expect.stringMatching(/^[b-z2-9]{6}$/),
    hasPlainNames: false,
  });
  const again = await openInstallation(options);
  expect(again.installation).toEqual(installation);
  await again.dataSource.destroy();
  await dataSource.destroy();
  await expect(openInstallation({ ...options, strict: true })).rejects.toThrow(/must be 1/);
});

test("the first process leaves the check value, the same key passes, another one is refused", async () => {
  const { dataSource } = database;
  await dataSource.query("DELETE FROM installation");
  const key = generateSecretKey("k1");
  const other = generateSecretKey("k1");
  const next = generateSecretKey("k2");
  await Promise.all(
    Array.from({ length: 5 }, () => checkSecretKey(dataSource, createSecretBox(key))),
  );
  await checkSecretKey(dataSource, createSecretBox(`${next},${key}`));
  for (const wrong of [other, next, `${next},${other}`]) {
    const checking = checkSecretKey(dataSource, createSecretBox(wrong));
    await expect(checking).rejects.toThrow(
      "SECRET_KEY is not the key that this database's secrets were sealed with.",
    );
  }
  const opening = openInstallation({
    url: database.url,
    poolSize: 2,
    strict: false,
    secretBox: createSecretBox(other),
  });
  await expect(opening).rejects.toThrow(/SECRET_KEY/);
});

test("without a server it fails within seconds instead of waiting for one", async () => {
  const started = performance.now();
  const opening = openDatabase({ url: "mysql://root:x@127.0.0.1:1/x", poolSize: 2 });
  await expect(opening).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(performance.now() - started).toBeLessThan(5_000);
});
