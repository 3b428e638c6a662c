import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, inject, test } from "vitest";
import { verifyPassword } from "../../core/passwords.ts";
import { findLogin } from "../../core/services/accounts/users.ts";
import { repositoryRoot } from "../../dev/local.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";
import { testSecretKey } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

/** Runs the command as an operator does, with nothing but the two settings. */
async function run(args: string[], { url = database.url, stdin = "" } = {}) {
  const child = spawn(
    process.execPath,
    ["--import", "tsx/esm", "cli/main.ts", "account:create", ...args],
    {
      cwd: repositoryRoot,
      env: { PATH: process.env["PATH"], DATABASE_URL: url, SECRET_KEY: testSecretKey },
    },
  );
  child.stdin.end(stdin);
  const written = [text(child.stdout), text(child.stderr)];
  await once(child, "close");
  const [stdout = "", stderr = ""] = await Promise.all(written);
  return { code: child.exitCode, stdout, stderr };
}

async function isPassword(email: string, password: string): Promise<boolean> {
  const login = await findLogin(database.dataSource.manager, email);
  return await verifyPassword(login?.passwordHash ?? null, password);
}

test("an account gets an admin whose printed password works", async () => {
  const zone = ["--time-zone", "America/Mexico_City", "--locale", "es"];
  const made = await run(["--name", "Acme", "--email", "Ada@Example.com", ...zone]);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const [, id, password = ""] =
    /^Account (\d+) "Acme" is made\.\nLogin: +ada@example\.com\nPassword: (\S+)\n$/.exec(
      made.stdout,
    ) ?? [];
  expect(await isPassword("ada@example.com", password)).toBe(true);
  const accounts = await database.dataSource.query(
    `SELECT a.name, a.time_zone, a.locale, m.role FROM accounts a
       JOIN memberships m ON m.account_id = a.id WHERE a.id = ?`,
    [id],
  );
  const row = { name: "Acme", time_zone: "America/Mexico_City", locale: "es", role: "admin" };
  expect(accounts).toEqual([row]);
});

test("a person who is known becomes admin and keeps the password", async () => {
  const password = "given on standard input";
  const args = ["--email", "bob@example.com", "--password-stdin"];
  const first = await run(["--name", "One", ...args], { stdin: `${password}\n` });
  expect(first.stdout).toContain("Password: the one from standard input");
  const second = await run(["--name", "Two", ...args], { stdin: "another password\n" });
  expect(second.stdout).toContain("Password: unchanged");
  expect(await isPassword("bob@example.com", password)).toBe(true);
  const accounts = await database.dataSource.query(
    `SELECT a.name FROM users u JOIN memberships m ON m.user_id = u.id
       JOIN accounts a ON a.id = m.account_id WHERE u.email = ? ORDER BY a.id`,
    ["bob@example.com"],
  );
  expect(accounts).toEqual([{ name: "One" }, { name: "Two" }]);
});

test("a database without the schema is refused with what to run", async () => {
  const server = inject("mysqlUrl");
  const url = await createDatabase(server, `t_${process.pid}_blank`);
  const refused = await run(["--name", "Acme", "--email", "ada@example.com"], { url });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("npm run migrate");
});

test("wrong arguments are told all at once", async () => {
  const refused = await run(["--email", "nobody", "--time-zone", "Mars/Base"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/--name is missing.*email address.*--time-zone/);
});
