import { afterEach, beforeEach, expect, test } from "vitest";
import { createLoginThrottle } from "../../../api/dashboard/login-throttle.ts";
import { createSession, setPassword } from "../../../core/services/accounts/users.ts";
import { asSystem, createTestAccount, testPassword } from "../../support/accounts.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../../support/api.ts";
import { rawCall, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
/** One API per test, so that each starts with an unused throttle. */
let api: TestApi;

beforeEach(async () => {
  api = await startTestApi(fixture.database);
});

afterEach(async () => await api.stop());

async function login(
  email: string,
  password: string,
  { cookie, headers }: { cookie?: string; headers?: Record<string, string> } = {},
): Promise<TestAnswer> {
  return await api.call("POST", "/dashboard/api/session", {
    ...(cookie === undefined ? {} : { cookie }),
    ...(headers === undefined ? {} : { headers }),
    body: { email, password },
  });
}

/** `name → value and attributes` of every cookie that an answer sets. */
function cookiesOf(answer: TestAnswer): Map<string, { value: string; attributes: string[] }> {
  return new Map(
    answer.headers.getSetCookie().map((line) => {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = pair.split("=");
      return [name, { value, attributes }];
    }),
  );
}

const deviceOf = (answer: TestAnswer) =>
  `parley_device=${String(cookiesOf(answer).get("parley_device")?.value)}`;

test("a login answers the profile and two cookies that no script can read", async () => {
  const { email, accountId, userId } = fixture.account;
  const answer = await login(` ${email.toUpperCase()} `, testPassword, {
    headers: { "user-agent": "x".repeat(500) },
  });
  expect(answer.status).toBe(200);
  const zone = { time_zone: "UTC", locale: "en" };
  const account = { id: accountId, name: email, ...zone, answer_target_minutes: 30 };
  expect(answer.json.data).toStrictEqual({
    user: {
      id: userId,
      name: "Admin",
      email,
      email_confirmed: true,
      locale: null,
    },
    role: "admin",
    account,
    accounts: [{ id: accountId, name: email, role: "admin" }],
    stream_from: expect.stringMatching(`^${accountId}-\\d+$`),
  });
  const cookies = cookiesOf(answer);
  expect([...cookies.keys()]).toEqual(["parley_session", "parley_device"]);
  for (const { value, attributes } of cookies.values()) {
    expect(value.length).toBeGreaterThanOrEqual(43);
    expect(attributes).toEqual([
      "Path=/",
      "HttpOnly",
      "SameSite=Lax",
      expect.stringMatching(/^Expires=/),
    ]);
  }
  const expires = cookies.get("parley_session")?.attributes[3]?.slice("Expires=".length) ?? "";
  expect(new Date(expires).getTime() - Date.now()).toBeCloseTo(14 * 86_400_000, -5);
  const token = String(cookies.get("parley_session")?.value);
  expect(answer.text).not.toContain(token);
  const [row] = await fixture.query(
    "SELECT token_hash = UNHEX(SHA2(?, 256)) AS hashed, LENGTH(user_agent) AS agent, ip FROM sessions ORDER BY created_at DESC, expires_at DESC LIMIT 1",
    [token],
  );
  expect(row).toMatchObject({ hashed: 1, agent: 200, ip: expect.stringContaining("127.0.0.1") });
});

test("over https the cookies are Secure and bound to the host", async () => {
  const secure = await startTestApi(fixture.database, { PUBLIC_URL: "https://parley.example/" });
  const body = { email: fixture.account.email, password: testPassword };
  const answer = await secure.call("POST", "/dashboard/api/session", { body });
  const cookies = cookiesOf(answer);
  expect([...cookies.keys()]).toEqual(["__Host-parley_session", "__Host-parley_device"]);
  for (const { attributes } of cookies.values()) {
    expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "Secure"]));
  }
  expect(answer.headers.get("strict-transport-security")).toMatch(/max-age=/);
  const token = cookies.get("__Host-parley_session")?.value;
  const read = async (cookie: string) =>
    (await secure.call("GET", "/dashboard/api/session", { cookie })).status;
  expect(await read(`__Host-parley_session=${token}`)).toBe(200);
  expect(await read(`parley_session=${token}`)).toBe(401);
  await secure.stop();
});

test("wrong password, unknown email, disabled person and no membership read alike", async () => {
  const disabled = await createTestAccount(fixture.database.dataSource);
  await fixture.query("UPDATE users SET disabled_at = NOW() WHERE id = ?", [disabled.userId]);
  const alone = await createTestAccount(fixture.database.dataSource);
  await fixture.query("DELETE FROM memberships WHERE user_id = ?", [alone.userId]);
  const closed = await createTestAccount(fixture.database.dataSource);
  await fixture.query("UPDATE accounts SET disabled_at = NOW() WHERE id = ?", [closed.accountId]);
  const headers = { "x-request-id": "same" };
  const answers = await Promise.all([
    login(fixture.account.email, "wrong", { headers }),
    login("nobody@example.com", testPassword, { headers }),
    login(disabled.email, testPassword, { headers }),
    login(alone.email, testPassword, { headers }),
    login(closed.email, testPassword, { headers }),
    login("not an email", testPassword, { headers }),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBeNull();
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.text).toBe(answers[0]?.text);
  }
  expect(answers[0]?.json.error).toMatchObject({ code: "login_failed", details: null });
});

test("an email in full-width letters is not the one it looks like", async () => {
  const wide = fixture.account.email.replace(/^admin/, "ａｄｍｉｎ");
  expect((await login(wide, testPassword)).status).toBe(401);
  expect((await login(`\u200b${fixture.account.email}`, testPassword)).status).toBe(401);
});

test("after ten wrong passwords an email is 429 even with the right one, others are not", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  for (let index = 0; index < 10; index += 1) {
    expect((await login(fixture.account.email, `wrong ${index}`)).status).toBe(401);
  }
  const refused = await login(fixture.account.email, testPassword);
  expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(90);
  expect((await login(fixture.account.email.toUpperCase(), testPassword)).status).toBe(429);
  expect((await login(other.email, testPassword)).status).toBe(200);
});

test("guesses made at once are counted like those one after the other", async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => login(fixture.account.email, `guess ${index}`)),
  );
  const tally = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([tally(401), tally(429)]).toEqual([10, 30]);
});

test("the owner's own browser still gets in while others guess, and only with that email", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const device = deviceOf(await login(fixture.account.email, testPassword));
  const foreign = deviceOf(await login(other.email, testPassword));
  for (let index = 0; index < 10; index += 1) await login(fixture.account.email, "wrong");
  expect((await login(fixture.account.email, testPassword)).status).toBe(429);
  expect((await login(fixture.account.email, testPassword, { cookie: foreign })).status).toBe(429);
  const forged = "parley_device=v1.test.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA";
  expect((await login(fixture.account.email, testPassword, { cookie: forged })).status).toBe(429);
  expect((await login(fixture.account.email, testPassword, { cookie: device })).status).toBe(200);
});

test("a new password makes strangers of all browsers but the one that set it", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const first = await login(account.email, testPassword);
  const other = deviceOf(await login(account.email, testPassword));
  const changed = await api.call("POST", "/dashboard/api/me/password", {
    cookie: `parley_session=${cookiesOf(first).get("parley_session")?.value}`,
    body: { current_password: testPassword, new_password: "another horse battery" },
  });
  expect(changed.status).toBe(200);
  for (let index = 0; index < 10; index += 1) await login(account.email, "wrong");
  const again = async (cookie: string) =>
    (await login(account.email, "another horse battery", { cookie })).status;
  expect([await again(other), await again(deviceOf(changed))]).toEqual([429, 200]);
});

test("a person has at most 50 logins: the longest unused ends", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const other = await createTestAccount(fixture.database.dataSource);
  await fixture.query(
    `INSERT INTO sessions (token_hash, user_id, account_id, last_seen_at, expires_at)
     SELECT RANDOM_BYTES(32), ?, ?, NOW(3) - INTERVAL id HOUR, NOW() + INTERVAL 1 DAY
       FROM (WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 60) SELECT id FROM n) n`,
    [account.userId, account.accountId],
  );
  expect((await login(account.email, testPassword)).status).toBe(200);
  expect(
    await fixture.query(
      `SELECT user_id, COUNT(*) AS count, MIN(last_seen_at) > NOW(3) - INTERVAL 49 HOUR AS recent
         FROM sessions WHERE user_id IN (?) GROUP BY user_id ORDER BY user_id`,
      [[account.userId, other.userId]],
    ),
  ).toEqual([
    { user_id: account.userId, count: 50, recent: 1 },
    { user_id: other.userId, count: 1, recent: 1 },
  ]);
});

test("a known browser has ten guesses of its own and no more", async () => {
  const cookie = deviceOf(await login(fixture.account.email, testPassword));
  for (let index = 0; index < 10; index += 1) {
    expect((await login(fixture.account.email, "wrong", { cookie })).status).toBe(401);
  }
  expect((await login(fixture.account.email, testPassword, { cookie })).status).toBe(429);
});

test("an address has fifty wrong guesses over all emails; X-Forwarded-For gives it no more", async () => {
  const statuses: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const batch = Array.from({ length: 10 }, (_, index) =>
      login(`guess${round * 10 + index}@example.com`, "x", {
        headers: { "x-forwarded-for": `198.51.100.${round * 10 + index}` },
      }),
    );
    statuses.push(...(await Promise.all(batch)).map(({ status }) => status));
  }
  expect(statuses.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => 401));
  expect(statuses.slice(50)).toEqual(Array.from({ length: 10 }, () => 429));
  expect((await login(fixture.account.email, testPassword)).status).toBe(429);
});

test("the addresses of one IPv6 /64 count as one, those of another and IPv4 ones do not", () => {
  const throttle = createLoginThrottle(() => 0);
  let count = 0;
  const guess = (ip: string) => () =>
    throttle.count({ email: `guess${(count += 1)}@example.com`, ip, device: null });
  for (let index = 0; index < 50; index += 1) guess(`2001:db8:0:1::${index.toString(16)}`)();
  for (const ip of ["2001:db8:0:1:ffff::", "2001:0DB8::1:0:0:0:9", "2001:db8:0:1::1%eth0"]) {
    expect(guess(ip)).toThrow(/Too many requests/);
  }
  for (const ip of ["2001:db8:0:2::1", "2001:db8::1", "192.0.2.1", ""]) {
    expect(guess(ip)).not.toThrow();
  }
  for (let index = 0; index < 50; index += 1) guess("::ffff:192.0.2.7")();
  expect(guess("192.0.2.7")).toThrow(/Too many requests/);
  expect(guess("::ffff:192.0.2.8")).not.toThrow();
});

test("a flood of new emails gives no guesses back to the one that was guessed", () => {
  const throttle = createLoginThrottle(() => 0);
  const guess = (email: string, ip: string) => () => throttle.count({ email, ip, device: null });
  const address = (number: number) => `10.0.${number >> 8}.${number & 255}`;
  const victim = (number: number) => guess("victim@example.com", address(number));
  for (let index = 0; index < 10; index += 1) victim(index)();
  // One address, refused after fifty.
  let counted = 0;
  for (let index = 0; index < 100_001; index += 1) {
    try {
      guess(`refused${index}@example.com`, "192.0.2.1")();
      counted += 1;
    } catch {
      continue;
    }
  }
  expect(counted).toBe(50);
  expect(victim(10)).toThrow(/Too many requests/);
  // Thousands of addresses, each within its own limit.
  for (let index = 0; index < 100_001; index += 1) {
    guess(`counted${index}@example.com`, address(100 + Math.floor(index / 50)))();
  }
  expect(victim(11)).toThrow(/Too many requests/);
});

test("a login is refused where the password changed while it was checked, or the person was disabled", async () => {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  const begin = (passwordHash: string) =>
    asSystem(dataSource, 0, (tx) =>
      createSession(
        tx,
        { userId: account.userId, passwordHash },
        { accountId: null, userAgent: null },
      ),
    );
  const [user] = await fixture.query<{ password_hash: string }>(
    "SELECT password_hash FROM users WHERE id = ?",
    [account.userId],
  );
  const checked = String(user?.password_hash);
  expect((await begin(checked)).accountId).toBe(account.accountId);
  await asSystem(dataSource, 0, (tx) => setPassword(tx, account.userId, "$argon2id$new"));
  await expect(begin(checked)).rejects.toMatchObject({ code: "login_failed" });
  await fixture.query("UPDATE users SET disabled_at = NOW() WHERE id = ?", [account.userId]);
  await expect(begin("$argon2id$new")).rejects.toMatchObject({ code: "login_failed" });
  expect(await fixture.query("SELECT 1 FROM sessions WHERE user_id = ?", [account.userId])).toEqual(
    [],
  );
});

test("good logins use nothing up", async () => {
  const statuses = new Set<number>();
  for (let index = 0; index < 12; index += 1) {
    statuses.add((await login(fixture.account.email, testPassword)).status);
  }
  expect(statuses).toEqual(new Set([200]));
});

test("behind a proxy the address it appended counts, not what the caller wrote before it", async () => {
  const behind = await startTestApi(fixture.database, { TRUST_PROXY: "true" });
  const body = { email: fixture.account.email, password: testPassword };
  const seen: unknown[] = [];
  for (const forwarded of [
    "1.2.3.4, 198.51.100.7",
    "x".repeat(300),
    "::ffff:198.51.100.8",
    "198.51.100.9:5678",
    "[2001:db8::1]:5678",
    "[2001:db8::2]",
    "198.51.100.9:5678:1",
  ]) {
    const headers = { "x-forwarded-for": forwarded };
    const answer = await behind.call("POST", "/dashboard/api/session", { headers, body });
    expect(answer.status).toBe(200);
    const token = cookiesOf(answer).get("parley_session")?.value;
    const [row] = await fixture.query<{ ip: string }>(
      "SELECT ip FROM sessions WHERE token_hash = UNHEX(SHA2(?, 256))",
      [token],
    );
    seen.push(row?.ip);
  }
  expect(seen).toEqual([
    "198.51.100.7",
    expect.stringContaining("127.0.0.1"),
    "::ffff:198.51.100.8",
    "198.51.100.9",
    "2001:db8::1",
    "2001:db8::2",
    expect.stringContaining("127.0.0.1"),
  ]);
  await behind.stop();
});

test("200 logins at once are answered one way or another, and the API serves others meanwhile", async () => {
  const accounts = await Promise.all(
    Array.from({ length: 20 }, () => createTestAccount(fixture.database.dataSource)),
  );
  let answered = 0;
  const logins = Array.from({ length: 200 }, async (_, index) => {
    const status = (await login(accounts[index % 20]?.email ?? "", testPassword)).status;
    answered += 1;
    return status;
  });
  const answeredMeanwhile: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    expect((await api.call("GET", "/healthz")).status).toBe(200);
    const list = await api.call("GET", "/api/v1/contacts", { apiKey: fixture.account.apiKey });
    expect(list.status).toBe(200);
    answeredMeanwhile.push(answered);
  }
  expect(answeredMeanwhile[0]).toBeLessThan(200);
  const statuses = await Promise.all(logins);
  expect([200, 429, 503]).toEqual(expect.arrayContaining([...new Set(statuses)]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(50);
});

test.each<[string, unknown, string[]]>([
  ["nothing", {}, ["body.email", "body.password"]],
  ["empty texts", { email: "", password: "" }, ["body.email", "body.password"]],
  ["1,001 characters", { email: "a@b.co", password: "x".repeat(1_001) }, ["body.password"]],
  ["no texts", { email: ["a@b.co"], password: { x: 1 } }, ["body.email", "body.password"]],
  [
    "more than it takes",
    { email: "a@b.co", password: "x", account_id: "1", admin: true },
    ["body.account_id", "body.admin"],
  ],
])("a login with %s is 400 and repeats nothing", async (_, body, paths) => {
  const answer = await api.call("POST", "/dashboard/api/session", { body });
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string }[];
  expect(details.map(({ path }) => path).toSorted()).toEqual(paths);
  expect(answer.text).not.toContain("xxx");
});

test("a login form of another site is no JSON, so it is 415", async () => {
  const answer = await rawCall(api.url, "POST", "/dashboard/api/session", {
    headers: { "content-type": "text/plain", "content-length": "2" },
    chunks: ["{}"],
  });
  expect([answer.status, answer.json.error.code]).toEqual([415, "unsupported_media_type"]);
});
