import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createMember } from "../../core/services/accounts/users.ts";
import { repositoryRoot } from "../../dev/local.ts";
import { asSystem, createTestAccount, testSecretKey } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

async function run(...args: string[]) {
  const child = spawn(
    process.execPath,
    ["--import", "tsx/esm", "cli/main.ts", "email:confirm", ...args],
    {
      cwd: repositoryRoot,
      env: { PATH: process.env["PATH"], DATABASE_URL: database.url, SECRET_KEY: testSecretKey },
    },
  );
  const written = [text(child.stdout), text(child.stderr)];
  await once(child, "close");
  const [stdout = "", stderr = ""] = await Promise.all(written);
  return { code: child.exitCode, said: stdout + stderr };
}

/** A member of an account of their own who has not proved the address. */
async function claim(email: string): Promise<{ accountId: number; userId: number }> {
  const { accountId } = await createTestAccount(database.dataSource);
  const person = { email, name: "Ceo", passwordHash: "-", role: "agent" } as const;
  const { userId } = await asSystem(database.dataSource, accountId, (tx) =>
    createMember(tx, person, false),
  );
  return { accountId, userId };
}

async function claimsOf(email: string): Promise<unknown> {
  return await database.dataSource.query(
    "SELECT id AS userId, unconfirmed_account_id AS accountId FROM users WHERE email = ? ORDER BY id",
    [email],
  );
}

test("an operator says which of several people has an address, and takes it back", async () => {
  const email = "ceo@victim.example";
  const [squatter, owner] = [await claim(email), await claim(email)];
  const unclear = await run("--email", email);
  expect(unclear).toMatchObject({ code: 1, said: expect.stringContaining("--account") });
  const account = ["--account", String(owner.accountId)];
  expect(await run("--email", "CEO@victim.example", ...account)).toEqual({
    code: 0,
    said: `${email} is confirmed for the person of account ${owner.accountId}.\n`,
  });
  expect(await claimsOf(email)).toEqual([squatter, { userId: owner.userId, accountId: 0 }]);
  expect(await run("--email", email)).toMatchObject({ code: 1 });

  expect(await run("--email", email, "--release")).toMatchObject({ code: 0 });
  expect(await claimsOf(email)).toEqual([squatter, owner]);
  const audit = await database.dataSource.query(
    "SELECT action, account_id, target_id FROM audit_log WHERE action LIKE 'user.email%' ORDER BY id",
  );
  const of = { account_id: owner.accountId, target_id: owner.userId };
  expect(audit).toEqual([
    { action: "user.email_confirmed", ...of },
    { action: "user.email_released", ...of },
  ]);
});

test.each([
  [["--email", "nobody@example.com"], 1, "Nobody has this address there."],
  [["--email", "nobody@example.com", "--release"], 1, "Nobody has confirmed this address."],
  [["--email", "x"], 2, "--help"],
  [[], 2, "--email is missing."],
])("%j changes nothing and says why", async (args, code, why) => {
  const answer = await run(...args);
  expect(answer).toMatchObject({ code, said: expect.stringContaining(why) });
  expect(answer.said).toContain("Nothing was changed.");
});
