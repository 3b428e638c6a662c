import { Client } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSendMail } from "../../activities/send-mail.ts";
import { createLog } from "../../core/log.ts";
import {
  createTestAccount,
  testPassword,
  testSecretBox,
  type TestAccount,
} from "../support/accounts.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../support/api.ts";
import { createTestLink } from "../api/booking/booking-fixture.ts";
import { receive } from "../support/conversations.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startSmtp, type ReceivedMail } from "../support/smtp.ts";
import {
  createNamespace,
  installTestRuntime,
  linkTemporal,
  startTestWorker,
  type TestWorker,
} from "../support/worker.ts";
import { useFixture } from "../support/use-fixture.ts";

const publicUrl = "http://127.0.0.1:3000";
const database = useFixture(createTestDatabase);
const smtp = useFixture(startSmtp);
let api: TestApi;
let worker: TestWorker;
let account: TestAccount;
let temporal: Client;
let count = 0;

beforeAll(async () => {
  installTestRuntime();
  const namespace = await createNamespace();
  const link = await linkTemporal(namespace);
  temporal = new Client({ connection: link.connection, namespace });
  api = await startTestApi(database, { SMTP_URL: smtp.url, PUBLIC_URL: publicUrl });
  worker = await startTestWorker(database, namespace, { mailer: smtp.mailer(publicUrl) });
  account = await createTestAccount(database.dataSource);
});

afterAll(async () => {
  await worker.stop();
  await temporal.connection.close();
  await api.stop();
});

const newEmail = () => `mailed${(count += 1)}@example.com`;

async function call(method: string, path: string, body?: unknown, cookie = account.cookie) {
  return await api.call(method, `/dashboard/api${path}`, { cookie, body });
}

async function mailTo(email: string, number = 1): Promise<ReceivedMail> {
  return await eventually(() => {
    const mail = smtp.mails.filter(({ to }) => to.includes(email))[number - 1];
    if (mail === undefined) throw new Error(`${smtp.mails.length} mails`);
    return mail;
  });
}

/** The token of the one link in a mail. */
function tokenIn({ text }: ReceivedMail): string {
  const [, token] = new RegExp(`${publicUrl}/link#token=([\\w-]{43})`).exec(text) ?? [];
  return String(token);
}

async function invite(email: string): Promise<TestAnswer> {
  const answer = await call("POST", "/invitations", { email, role: "agent" });
  expect(answer.status).toBe(201);
  return answer;
}

async function invitationOf(email: string) {
  const { json } = await call("GET", "/invitations");
  return json.data.find((row: { email: string }) => row.email === email);
}

const accept = async (token: string, password: string) =>
  await call("POST", "/links/accept", { token, password });
const login = async (email: string, password: string) =>
  await call("POST", "/session", { email, password });

test("an invitation goes by mail alone, and opening it proves the address", async () => {
  const email = newEmail();
  const answer = await invite(email);
  expect(answer.json.data).toMatchObject({ email, url: null, mail: "queued" });
  const mail = await mailTo(email);
  const token = tokenIn(mail);
  expect(mail.text).toContain(`You are invited to ${account.email} on Parley.`);
  expect(answer.text).not.toContain(token);
  await eventually(async () => {
    expect(await invitationOf(email)).toMatchObject({ mail: "sent" });
  });
  const joined = await accept(token, "a password of their own");
  expect(joined.json.data).toMatchObject({ user: { email }, role: "agent" });
  const people = await call("GET", "/users");
  const member = people.json.data.find((row: { email: string }) => row.email === email);
  expect(member).toMatchObject({ email_confirmed: true });
});

test("Temporal and MySQL keep neither the token nor, in Temporal, the address", async () => {
  const email = newEmail();
  await invite(email);
  const token = tokenIn(await mailTo(email));
  const [row] = await eventually(async () => {
    const rows = await database.dataSource.query(
      "SELECT id, sealed, key_id FROM mails WHERE state = 'sent' ORDER BY id DESC LIMIT 1",
    );
    const [link] = await database.dataSource.query(
      "SELECT x.id FROM mails x JOIN user_links l ON l.id = x.user_link_id WHERE l.email = ?",
      [email],
    );
    expect(rows[0]?.id).toBe(link.id);
    return rows;
  });
  expect(row).toMatchObject({ sealed: null, key_id: null });
  const { events } = await temporal.workflow.getHandle(`send-mail-${row.id}`).fetchHistory();
  const history = Buffer.from(JSON.stringify(events)).toString();
  const payloads = (events ?? []).flatMap(
    (event) => event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [],
  );
  const given = payloads.map(({ data }) => Buffer.from(data ?? []).toString());
  expect(given).toEqual([JSON.stringify({ mailId: Number(row.id), accountId: account.accountId })]);
  for (const secret of [token, email]) expect(history).not.toContain(secret);
});

test("a mail that is refused is shown, and sent again with a new link", async () => {
  const email = newEmail();
  smtp.refused.add(email);
  const { json } = await invite(email);
  await eventually(async () => {
    expect(await invitationOf(email)).toMatchObject({ mail: "failed" });
  });
  const [row] = await database.dataSource.query(
    "SELECT tries, error, sealed FROM mails ORDER BY id DESC LIMIT 1",
  );
  expect(row).toEqual({ tries: 1, error: "EENVELOPE 550", sealed: null });
  smtp.refused.delete(email);
  const again = await call("POST", `/invitations/${json.data.id}/send-again`);
  expect([again.status, again.json.data.mail]).toEqual([201, "queued"]);
  const joined = await accept(tokenIn(await mailTo(email)), "a password of their own");
  expect(joined.status).toBe(200);
  const gone = await call("POST", `/invitations/${json.data.id}/send-again`);
  expect(gone.json.error.code).toBe("invitation_not_found");
});

test("a server in trouble delays a mail, and a withdrawn invitation is not sent", async () => {
  const email = newEmail();
  smtp.trouble.left = 1;
  const { json } = await invite(email);
  const mail = await eventually(async () => {
    const rows = await database.dataSource.query(
      "SELECT id, state, tries, error, sealed IS NOT NULL AS token FROM mails WHERE user_link_id = ?",
      [json.data.id],
    );
    expect(rows).toMatchObject([{ state: "queued", tries: 1, error: "EENVELOPE 451", token: 1 }]);
    return rows[0];
  });
  await call("DELETE", `/invitations/${json.data.id}`);
  const { dataSource } = database;
  const log = createLog("test", "silent");
  const mailer = smtp.mailer(publicUrl);
  const steps = createSendMail({ dataSource, secretBox: testSecretBox, mailer, log });
  const input = { accountId: account.accountId, mailId: Number(mail.id) };
  expect(await steps.postMail(input)).toEqual({ state: "over" });
  expect(
    await database.dataSource.query("SELECT state, sealed FROM mails WHERE id = ?", [mail.id]),
  ).toEqual([{ state: "cancelled", sealed: null }]);
  expect(smtp.mails.filter(({ to }) => to.includes(email))).toEqual([]);
});

test("a forgotten password is set by a mailed link; the answer is the same for any address", async () => {
  const { email } = await createTestAccount(database.dataSource);
  const forgot = async (address: string) =>
    await call("POST", "/links/forgotten-password", { email: address }, "");
  const [known, unknown] = [await forgot(email.toUpperCase()), await forgot("no@example.com")];
  expect([known.status, known.text]).toEqual([202, unknown.text]);
  const token = tokenIn(await mailTo(email));
  const reset = await accept(token, "a new password of mine");
  expect(reset.json.data.user.email).toBe(email);
  expect((await login(email, testPassword)).status).toBe(401);
  expect((await login(email, "a new password of mine")).status).toBe(200);
  expect(smtp.mails.filter(({ to }) => to.includes("no@example.com"))).toEqual([]);
  const statuses: number[] = [];
  for (let index = 0; index < 6; index += 1) statuses.push((await forgot(email)).status);
  expect(statuses).toContain(429);
});

test("a mailed link for a new password proves the address of a person who had not", async () => {
  const email = newEmail();
  const plain = await startTestApi(database, { PUBLIC_URL: publicUrl });
  const body = { email, role: "agent" };
  const { cookie } = account;
  const handed = await plain.call("POST", "/dashboard/api/invitations", { cookie, body });
  const [, handedToken] = String(handed.json.data.url).split("#token=");
  const { json } = await accept(String(handedToken), "a password of theirs");
  const userId = json.data.user.id as number;
  const off = await plain.call("POST", "/dashboard/api/links/forgotten-password", {
    body: { email },
  });
  expect([off.status, off.json.error.code]).toEqual([409, "mail_off"]);
  await plain.stop();
  const reset = await call("POST", `/users/${userId}/password-reset`);
  expect([reset.status, reset.json.data.url]).toEqual([201, null]);
  expect((await accept(tokenIn(await mailTo(email)), "another password")).status).toBe(200);
  const [row] = await database.dataSource.query(
    "SELECT unconfirmed_account_id AS account FROM users WHERE id = ?",
    [userId],
  );
  expect(row).toEqual({ account: 0 });
});

test("a conversation that needs a person is mailed to whoever wants it, without a word of it", async () => {
  const owner = await createTestAccount(database.dataSource);
  const { row } = await receive(database.dataSource, owner.accountId, {
    from: "5215550001234",
    name: "Carla Secret",
    content: "My account number is 778899",
  });
  const path = `/api/v1/conversations/${row.conversationId}/bot`;
  const pause = async (enabled: boolean) =>
    await api.call("POST", path, { apiKey: owner.apiKey, body: { enabled } });
  const mine = () => smtp.mails.filter(({ to }) => to.includes(owner.email));
  const choice = { kind: "conversation_handed_off", email: true };
  const preferences = { preferences: [choice] };
  const on = await call("PATCH", "/me/notification-preferences", preferences, owner.cookie);
  expect(on.json.data).toContainEqual(expect.objectContaining(choice));
  await pause(false);
  const mail = await mailTo(owner.email);
  expect(mail.text).toContain(`Subject: A conversation of ${owner.email} needs you`);
  expect(mail.text).toContain(`${publicUrl}/inbox/${row.conversationId}\r\n`);
  expect(mail.text).not.toMatch(/Carla|778899|5215550001234/);
  await call("PATCH", "/me", { locale: "es" }, owner.cookie);
  await pause(true);
  await pause(false);
  const second = await mailTo(owner.email, 2);
  expect(second.text).toContain("Un cliente espera a una persona.");
  expect(mine()).toHaveLength(2);
});

test("whoever books with an email gets the address of the appointment's page, in their language", async () => {
  const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    await database.dataSource.query<Row[]>(sql, values);
  const link = await createTestLink({ database, api, query });
  const email = newEmail();
  const [slot = ""] = await link.slots();
  const fields = { name: "Ana Torres", phone: "", email };
  const sent = await link.post("/new?lang=es", { ...(await link.form(slot)), ...fields });
  const page = sent.headers.get("location") ?? "";
  const mail = await mailTo(email);
  expect(mail.text).toMatch(/^Subject: Tu cita en /m);
  expect(mail.text).toContain("First visit");
  expect(mail.text).toContain("Dr. Lucía Peña");
  expect(mail.text).toContain(`${publicUrl}${page.split("?")[0]}?lang=es`);
  expect(mail.text).not.toContain("Ana Torres");
  expect(mail.text).toContain("filename=appointment.ics");
  const kept = async () =>
    await query("SELECT state, sealed FROM mails WHERE kind = 'booking_made'");
  await expect.poll(kept).toEqual([{ state: "sent", sealed: null }]);
});
