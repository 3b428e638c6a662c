import { beforeAll, expect, test } from "vitest";
import { createInboundEndpoint } from "../../core/services/inbound/inbound-endpoints.ts";
import { createInvitation, createPasswordReset } from "../../core/services/accounts/user-links.ts";
import { createMember } from "../../core/services/accounts/users.ts";
import type { Tx } from "../../db/transaction.ts";
import { answerWith, createAttemptFixture, queueDelivery } from "../activities/attempt-fixture.ts";
import { asSystem, testPassword, testSecretBox, testSecretKey } from "../support/accounts.ts";
import { linkCalendar } from "../support/calendars.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
/** What nobody who reads the database may learn, by its name. */
const secrets: Record<string, string> = {};
let slug: string;

beforeAll(async () => {
  const { accountId, userId, cookie, apiKey } = fixture.account;
  const { dataSource } = fixture.database;
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  const actor: Tx["actor"] = { type: "user", accountId, userId, role: "admin" };
  await asSystem(dataSource, accountId, async (system) => {
    const tx: Tx = { ...system, actor };
    const endpoint = await createInboundEndpoint(tx, testSecretBox, "inbound", {
      name: "e",
      strict: false,
    });
    const link = { email: "eve@example.com", role: "agent", name: null } as const;
    const invitation = await createInvitation(tx, link);
    const person = {
      email: "bob@example.com",
      name: "Bob",
      passwordHash: "-",
      role: "agent",
    } as const;
    const { userId: bob } = await createMember(tx, person);
    const reset = await createPasswordReset(tx, bob);
    const calendarToken = "1//0refresh-token-of-the-calendar";
    await linkCalendar(tx, {
      resourceId: 1,
      calendarId: "primary",
      refreshToken: calendarToken,
      subject: "108",
    });
    slug = endpoint.row.slug;
    Object.assign(secrets, {
      "secret of the endpoint": endpoint.secret,
      "token of the invitation": invitation.token,
      "token of the password reset": reset.token,
      "token of the calendar": calendarToken,
    });
  });
  Object.assign(secrets, {
    "secret of the subscription": queued.secret,
    "API key": apiKey,
    password: testPassword,
    "token of the session": cookie.split("=")[1] ?? "",
    "key that seals": testSecretKey.split(":")[1] ?? "",
  });
});

/** Every value of every row of every table, as text. */
async function dump(): Promise<string> {
  const { dataSource } = fixture.database;
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const rows = await dataSource.query<Record<string, unknown>[]>(`SELECT * FROM ${name}`);
    lines.push(...rows.flatMap((row) => Object.values(row).map(textOf)));
  }
  return lines.join("\n");
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `${value.toString("latin1")}\n${value.toString("hex")}`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A secret as it might be written down: whole, without its prefix, or as its bytes. */
function formsOf(secret: string): string[] {
  const bare = secret.replace(/^(whsec_|parley_)/, "");
  const bytes = Buffer.from(bare, "base64");
  const encodings = [bytes.toString("hex"), bytes.toString("base64url"), bytes.toString("latin1")];
  return [secret, bare, Buffer.from(secret).toString("hex"), ...encodings];
}

test("no table holds a secret that could be read", async () => {
  const text = await dump();
  expect(Object.keys(secrets)).toHaveLength(9);
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length).toBeGreaterThan(20);
    for (const form of formsOf(secret)) expect([name, text.includes(form)]).toEqual([name, false]);
  }
});

test("the slug of an inbound URL is no secret that is sealed: calls are found by it", async () => {
  expect(await dump()).toContain(slug);
});
