import { beforeAll, expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../../core/passwords.ts";
import { findApiKeyPrincipal } from "../../../core/services/accounts/api-keys.ts";
import { findLogin, setPassword } from "../../../core/services/accounts/users.ts";
import { transaction } from "../../../db/transaction.ts";
import { openDemoAccess, type DemoAccess } from "../../../dev/launcher/demo-access.ts";
import {
  connectReceiver,
  demoEmail,
  seedDemo,
  type DemoAccount,
} from "../../../dev/launcher/seed.ts";
import type { UpState } from "../../../dev/launcher/up-state.ts";
import { testSecretBox } from "../../support/accounts.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const receiverUrl = "http://127.0.0.1:4000";

const database = useFixture(createTestDatabase);
let seeded: DemoAccount;

beforeAll(async () => {
  const made = await seedDemo(database.dataSource, testSecretBox, receiverUrl);
  if (made === null) throw new Error("The database was not empty.");
  seeded = made;
});

function upState({ apiKey, admin }: Pick<DemoAccess, "apiKey" | "admin">): UpState {
  return {
    apiUrl: "http://127.0.0.1:3000",
    apiKey,
    admin,
    temporalAddress: "127.0.0.1:7233",
    temporalUiUrl: null,
    databaseUrl: database.url,
    receiverUrl,
    standIns: {},
  };
}

async function open(known: UpState | null): Promise<DemoAccess> {
  const access = await openDemoAccess(database.dataSource, known);
  if (access === null) throw new Error("There is no demo account.");
  return access;
}

async function fits({ apiKey, admin }: Pick<DemoAccess, "apiKey" | "admin">) {
  const { manager } = database.dataSource;
  const login = await findLogin(manager, admin.email);
  return {
    key: (await findApiKeyPrincipal(manager, apiKey, new Date())) !== null,
    password: await verifyPassword(login?.passwordHash ?? null, admin.password ?? ""),
  };
}

test("an empty database gets an account with login, key, contacts and a silent subscription", async () => {
  const count = async (table: string): Promise<number> => {
    const rows = await database.dataSource.query<{ n: number }[]>(
      `SELECT COUNT(*) AS n FROM ${table}`,
    );
    return Number(rows[0]?.n);
  };
  expect(await fits(seeded)).toEqual({ key: true, password: true });
  expect(await count("contacts")).toBe(2);
  expect(await count("subscriptions")).toBe(1);
  expect(await count("deliveries")).toBe(0);
});

test("a database with an account is left alone", async () => {
  expect(await seedDemo(database.dataSource, testSecretBox, receiverUrl)).toBeNull();
});

test("the next start has the same key and password", async () => {
  const { accountId, apiKey, admin } = seeded;
  expect(await open(upState(seeded))).toEqual({ accountId, apiKey, admin, notes: [] });
});

test("a lost up.json gives a new key and a new password that work", async () => {
  const access = await open(null);
  expect(await fits(access)).toEqual({ key: true, password: true });
  expect(access.apiKey).not.toBe(seeded.apiKey);
  expect(await fits(seeded)).toEqual({ key: true, password: false });
  seeded = { ...seeded, apiKey: access.apiKey, admin: { ...seeded.admin, ...passwordOf(access) } };
});

test("an up.json of another database counts as lost", async () => {
  const access = await open(
    upState({ apiKey: "parley_other", admin: { email: demoEmail, password: "x" } }),
  );
  expect(await fits(access)).toEqual({ key: true, password: true });
  seeded = { ...seeded, apiKey: access.apiKey, admin: { ...seeded.admin, ...passwordOf(access) } };
});

test("a password that its owner changed stays, also when the key is replaced later", async () => {
  const { accountId } = seeded;
  const login = await findLogin(database.dataSource.manager, demoEmail);
  const passwordHash = await hashPassword("chosen by the owner");
  const actor = { type: "system", accountId } as const;
  await transaction(database.dataSource, { actor }, async (tx) => {
    await setPassword(tx, login?.userId ?? 0, passwordHash);
  });
  const access = await open(upState(seeded));
  expect(access).toMatchObject({ apiKey: seeded.apiKey, admin: { password: null }, notes: [] });
  const later = await open(upState({ ...access, apiKey: "parley_revoked" }));
  expect(later).toMatchObject({ admin: { password: null }, notes: ["there is a new API key"] });
  expect(
    await fits({ ...later, admin: { email: demoEmail, password: "chosen by the owner" } }),
  ).toEqual({
    key: true,
    password: true,
  });
});

test("the demo subscription follows the receiver to another port and keeps its query", async () => {
  const { accountId } = seeded;
  const { dataSource } = database;
  const urls = async () => await dataSource.query("SELECT url FROM subscriptions ORDER BY id");
  const before = await connectReceiver(dataSource, testSecretBox, { accountId, receiverUrl });
  expect(before).toEqual([expect.stringMatching(/^whsec_/)]);
  await dataSource.query("UPDATE subscriptions SET url = CONCAT(url, '?fail=2')");
  const moved = { accountId, receiverUrl: "http://127.0.0.1:4001" };
  expect(await connectReceiver(dataSource, testSecretBox, moved)).toEqual(before);
  expect(await urls()).toEqual([{ url: "http://127.0.0.1:4001/hook?fail=2" }]);
});

test("a demo subscription that its owner pointed elsewhere is left alone", async () => {
  const { accountId } = seeded;
  const { dataSource } = database;
  await dataSource.query("UPDATE subscriptions SET url = 'https://example.com/hook'");
  expect(await connectReceiver(dataSource, testSecretBox, { accountId, receiverUrl })).toEqual([]);
  expect(await dataSource.query("SELECT url FROM subscriptions")).toEqual([
    { url: "https://example.com/hook" },
  ]);
});

function passwordOf({ admin }: DemoAccess): { password: string } {
  return { password: admin.password ?? "" };
}
