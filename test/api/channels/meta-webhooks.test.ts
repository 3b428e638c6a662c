import { expect, test } from "vitest";
import { openDatabase } from "../../../db/data-source.ts";
import { createTestAccount } from "../../support/accounts.ts";
import { startTestApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { holdTimers } from "../../support/held-timers.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startDatabaseGate } from "../http/database-gate.ts";
import { signatureOf, startChannelFixture, textFrom, whatsapp } from "./channel-fixture.ts";

const fixture = useFixture(startChannelFixture);
const gate = useFixture(async () => await startDatabaseGate(fixture.database.url));
const gated = useFixture(async () => {
  const dataSource = await openDatabase({ url: gate.url, poolSize: 10, bounded: true });
  return { dataSource, stop: async () => await dataSource.destroy() };
});
const gatedApi = useFixture(
  async () => await startTestApi({ ...fixture.database, dataSource: gated.dataSource }),
);

async function rowsOf(appId: number): Promise<{ state: string; reason: string | null }[]> {
  return await fixture.query(
    "SELECT state, reason FROM channel_webhooks WHERE channel_app_id = ? ORDER BY id",
    [appId],
  );
}

test("the handshake answers the challenge as plain text, and only to the right token", async () => {
  const number = await fixture.addNumber();
  const ask = async (token: string, slug = number.path) =>
    await fetch(
      `${fixture.api.url}${slug}?hub.mode=subscribe&hub.challenge=4711&hub.verify_token=${token}`,
    );
  const right = await ask(number.verifyToken);
  expect([right.status, await right.text()]).toEqual([200, "4711"]);
  expect(right.headers.get("content-type")).toMatch(/^text\/plain/);
  expect((await ask(`${number.verifyToken}x`)).status).toBe(403);
  expect((await ask("")).status).toBe(403);
  const other = await fixture.addNumber();
  expect((await ask(number.verifyToken, other.path)).status).toBe(403);
  expect((await ask(number.verifyToken, `/api/channels/meta/${"a".repeat(26)}`)).status).toBe(404);
});

test("a signed webhook is stored byte by byte, then answered", async () => {
  const number = await fixture.addNumber();
  const bytes = Buffer.from('{"object":"x", "entry":[],\n"a":"\\u00e9"}');
  expect((await number.send(bytes)).status).toBe(200);
  const [row] = await fixture.query<{ body: Buffer; state: string }>(
    "SELECT body, state FROM channel_webhooks WHERE channel_app_id = ?",
    [number.appId],
  );
  expect(row).toEqual({ body: bytes, state: "pending" });
});

test("without a signature, with a forged one, or with another app's, nothing is stored", async () => {
  const number = await fixture.addNumber();
  const other = await fixture.addNumber();
  const body = Buffer.from("{}");
  const codes = [
    await number.send(body, {}),
    await number.send(body, { "x-hub-signature-256": "sha256=00" }),
    await number.send(body, { "x-hub-signature-256": signatureOf("guess", body) }),
    await number.send(body, { "x-hub-signature-256": signatureOf(other.secret, body) }),
    await number.send(Buffer.from("{ }"), {
      "x-hub-signature-256": signatureOf(number.secret, body),
    }),
    // The verify token is no secret that signs.
    await number.send(body, { "x-hub-signature-256": signatureOf(number.verifyToken, body) }),
  ].map(({ status }) => status);
  expect(codes).toEqual([401, 401, 401, 401, 401, 401]);
  expect(await rowsOf(number.appId)).toEqual([]);
});

test("the secret before stays valid after a change, and Instagram's own secret signs too", async () => {
  const number = await fixture.addNumber();
  const [app] = await fixture.query<{ app_id: string }>(
    "SELECT app_id FROM channel_apps WHERE id = ?",
    [number.appId],
  );
  await number.send({});
  const again = await fixture.panel(number.account, "POST", "/channel-apps", {
    app_id: app?.app_id,
    app_secret: "the-next-secret",
    instagram_app_secret: "of-instagram",
  });
  expect(again.json.data).toMatchObject({
    id: number.appId,
    slug: number.slug,
    verify_token: number.verifyToken,
  });
  const body = Buffer.from("{}");
  for (const secret of [number.secret, "the-next-secret", "of-instagram"]) {
    const headers = { "x-hub-signature-256": signatureOf(secret, body) };
    expect([secret, (await number.send(body, headers)).status]).toEqual([secret, 200]);
  }
});

test("4 MiB pass, a byte more is 413, and an unknown slug is 404", async () => {
  const number = await fixture.addNumber();
  const full = Buffer.alloc(4_194_304, " ");
  expect((await number.send(full)).status).toBe(200);
  expect((await number.send(Buffer.alloc(4_194_305, " "))).status).toBe(413);
  const path = `/api/channels/meta/${"A".repeat(26)}`;
  const headers = { "x-hub-signature-256": signatureOf(number.secret, Buffer.from("{}")) };
  const answer = await fixture.api.call("POST", path, { headers, body: Buffer.from("{}") });
  expect([answer.status, answer.json.error.code]).toEqual([404, "endpoint_not_found"]);
});

test("broken JSON is stored, answered and parked", async () => {
  const number = await fixture.addNumber();
  expect((await number.send(Buffer.from('{"object":'))).status).toBe(200);
  expect((await number.send(Buffer.from([0xff, 0xfe]))).status).toBe(200);
  await fixture.drain();
  expect(await rowsOf(number.appId)).toEqual([
    { state: "parked", reason: "not_readable" },
    { state: "parked", reason: "not_readable" },
  ]);
});

test("bad signatures are limited, signed calls from the same address never are", async () => {
  const own = useLimited();
  const number = await fixture.addNumber();
  const bad = { "x-hub-signature-256": signatureOf("guess", Buffer.from("{}")) };
  const refused = await Promise.all(
    Array.from({ length: 80 }, async () => (await own.send(number.path, "{}", bad)).status),
  );
  expect([...new Set(refused)].toSorted((a, b) => a - b)).toEqual([401, 429]);
  const good = { "x-hub-signature-256": signatureOf(number.secret, Buffer.from("{}")) };
  const taken = await Promise.all(
    Array.from({ length: 400 }, async () => (await own.send(number.path, "{}", good)).status),
  );
  expect([...new Set(taken)]).toEqual([200]);
  expect(await rowsOf(number.appId)).toHaveLength(400);
});

function useLimited() {
  return {
    send: async (path: string, body: string, headers: Record<string, string>) =>
      await fixture.api.call("POST", path, { headers, body: Buffer.from(body) }),
  };
}

test("with MySQL away a signed webhook is 503 within 5 s, and no 200 is without a row", async ({
  onTestFinished,
}) => {
  const number = await fixture.addNumber();
  const body = Buffer.from(
    JSON.stringify(whatsapp(number.numberId, "messages", textFrom("5215500000001", "a"))),
  );
  const headers = { "x-hub-signature-256": signatureOf(number.secret, body) };
  const send = async () => await gatedApi.call("POST", number.path, { headers, body });
  let taken = 0;
  const sendUntilTaken = async () => {
    await eventually(async () => expect((await send()).status).toBe(200));
    taken += 1;
  };
  // No limit of 5 s ends an answer.
  const limits = holdTimers(5_000);
  onTestFinished(() => limits.mockRestore());
  for (const away of [() => gate.shut(), () => gate.silence(), () => gate.freeze()]) {
    gate.open();
    await sendUntilTaken();
    away();
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(answers[0]?.headers.get("retry-after")).toBe("5");
  }
  gate.shut();
  gate.open();
  await sendUntilTaken();
  expect((await rowsOf(number.appId)).length).toBeGreaterThanOrEqual(taken);
});

test("another account reads 404 for an app, and agents may not connect anything", async () => {
  const number = await fixture.addNumber();
  const stranger = await createTestAccount(fixture.database.dataSource);
  const body = {
    driver: "messenger",
    channel_app_id: number.appId,
    external_id: "1",
    token: "12345678",
  };
  const answer = await fixture.panel(stranger, "POST", "/channel-accounts", body);
  expect([answer.status, answer.json.error.code]).toEqual([404, "channel_app_not_found"]);
});

test("secrets are sealed in their tables, and no answer repeats them", async () => {
  const number = await fixture.addNumber();
  const rows = await fixture.query<{ sealed: string }>(
    `SELECT sealed FROM channel_app_secrets WHERE channel_app_id = ?
      UNION ALL SELECT sealed FROM channel_account_tokens WHERE channel_account_id = ?`,
    [number.appId, number.channelAccountId],
  );
  expect(rows).toHaveLength(3);
  for (const { sealed } of rows) expect(sealed).toMatch(/^v2\.test\./);
  const list = await fixture.panel(number.account, "GET", "/channel-accounts");
  expect(list.text).not.toContain("token-of");
  const shown = list.json.data.find((one: { id: number }) => one.id === number.channelAccountId);
  expect(shown).toMatchObject({
    channel: "whatsapp",
    driver: "whatsapp_cloud",
    state: "degraded",
    reason: "unverified",
    parked: 0,
  });
});
