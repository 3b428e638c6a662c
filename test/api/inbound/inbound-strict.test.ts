import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { signBody, signStandard } from "../../../core/signature.ts";
import { createTestEndpoint, refusal, standardHeaders, toBytes } from "./inbound-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const phone = "5215512345678";
const body = toBytes({ event: "contact.upsert", data: { phone } });

/** Sends the body with these headers and no others of a signature. */
async function post(path: string, headers: Record<string, string>) {
  return await fixture.api.call("POST", path, { headers, body });
}

test("a strict endpoint takes what the stock library signs", async () => {
  const { path, secret } = await createTestEndpoint(fixture, { strict: true });
  const now = new Date();
  const answer = await post(path, {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", now, Buffer.from(body)),
  });
  expect([answer.status, answer.json.data.result]).toEqual([200, "created"]);
});

test.each([
  [-301, 401, "invalid_signature"],
  [-299, 200, undefined],
  [299, 200, undefined],
  [302, 401, "invalid_signature"],
])("a timestamp %i s off is %i", async (offsetSeconds, status, code) => {
  const { path, secret } = await createTestEndpoint(fixture, { strict: true });
  const answer = await post(path, standardHeaders(secret, body, { id: "msg_1", offsetSeconds }));
  expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
});

test("X-Service-Signature alone is not enough there, and must fit where it is sent", async () => {
  const { path, secret } = await createTestEndpoint(fixture, { strict: true });
  const own = { "x-service-signature": signBody(secret, body) };
  expect(refusal(await post(path, own))).toEqual([401, "missing_signature"]);
  const standard = standardHeaders(secret, body, { id: "msg_1" });
  for (const wrong of ["", "sha256=", signBody(secret, toBytes("x"))]) {
    const refused = await post(path, { ...standard, "x-service-signature": wrong });
    expect(refusal(refused)).toEqual([401, "invalid_signature"]);
  }
  expect((await post(path, { ...standard, ...own })).status).toBe(200);
});

test("id, timestamp and body are all covered; one fitting signature of several is enough", async () => {
  const { path, secret } = await createTestEndpoint(fixture, { strict: true });
  const standard = standardHeaders(secret, body, { id: "msg_1" });
  const timestamp = Number(standard["webhook-timestamp"]);
  const { "webhook-id": _id, ...withoutId } = standard;
  const { "webhook-timestamp": _timestamp, ...withoutTimestamp } = standard;
  const other = standardHeaders(secret, toBytes("{}"), { id: "msg_1" });
  for (const headers of [
    withoutId,
    withoutTimestamp,
    { ...standard, "webhook-id": "msg_2" },
    { ...standard, "webhook-timestamp": String(timestamp + 1) },
    { ...standard, "webhook-timestamp": `${timestamp}.0` },
    { ...standard, "webhook-signature": "" },
    { ...standard, "webhook-signature": String(other["webhook-signature"]) },
    { ...standard, "webhook-signature": String(standard["webhook-signature"]).replace("v1", "v2") },
  ])
    expect(refusal(await post(path, headers))).toEqual([401, "invalid_signature"]);
  const several = `v1,${"A".repeat(43)}= v1a,x ${standard["webhook-signature"]} junk`;
  expect((await post(path, { ...standard, "webhook-signature": several })).status).toBe(200);
});

test("a replayed call reads the first answer, even under another X-Service-Event-Id", async () => {
  const endpoint = await createTestEndpoint(fixture, { strict: true });
  const { path, secret } = endpoint;
  await endpoint.act("contact.upsert", { phone });
  const tag = toBytes({ event: "contact.tag.add", data: { phone, tag: "vip" } });
  const headers = standardHeaders(secret, tag, { id: "msg_tag" });
  const send = async (extra: Record<string, string> = {}) =>
    await fixture.api.call("POST", path, { headers: { ...headers, ...extra }, body: tag });
  expect((await send()).json.data.result).toBe("updated");
  await endpoint.act("contact.tag.remove", { phone, tag: "vip" });
  for (const extra of [undefined, { "x-service-event-id": "another" }]) {
    const replayed = await send(extra);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
  }
  expect(
    await fixture.query("SELECT * FROM contact_tags WHERE account_id = ?", [
      endpoint.account.accountId,
    ]),
  ).toEqual([]);
});

test("on another endpoint webhook-signature is not looked at, and does not stand for the other", async () => {
  const { path, secret } = await createTestEndpoint(fixture);
  const standard = standardHeaders(secret, body, { id: "msg_1" });
  expect(refusal(await post(path, standard))).toEqual([401, "missing_signature"]);
  const own = { "x-service-signature": signBody(secret, body), "webhook-signature": "v1,x" };
  expect((await post(path, own)).status).toBe(200);
});

test("strict mode is switched by an admin, and the next call follows", async () => {
  const { manage, path, secret } = await createTestEndpoint(fixture);
  const own = { "x-service-signature": signBody(secret, body) };
  expect((await post(path, own)).status).toBe(200);
  expect((await manage("PATCH", "", { strict: true })).json.data.strict).toBe(true);
  expect(refusal(await post(path, own))).toEqual([401, "missing_signature"]);
  await manage("PATCH", "", { strict: false });
  expect((await post(path, own)).status).toBe(200);
});

test.each([false, true])(
  "after a rotation both secrets are taken for 24 hours, strict: %s; then the new one alone",
  async (strict) => {
    const { id, manage, path, secret } = await createTestEndpoint(fixture, { strict });
    const statusWith = async (one: string) => {
      const headers = strict
        ? standardHeaders(one, body, { id: `msg_${Math.random()}` })
        : { "x-service-signature": signBody(one, body) };
      return (await post(path, headers)).status;
    };
    const rotated = (await manage("POST", "/rotate-secret")).json.data.secret;
    expect([await statusWith(secret), await statusWith(rotated)]).toEqual([200, 200]);
    const age = async (interval: string) =>
      await fixture.query(
        `UPDATE inbound_endpoint_secrets SET valid_until = valid_until - INTERVAL ${interval} WHERE endpoint_id = ? AND valid_until IS NOT NULL`,
        [id],
      );
    await age("1439 MINUTE");
    expect(await statusWith(secret)).toBe(200);
    await age("1 MINUTE");
    expect([await statusWith(secret), await statusWith(rotated)]).toEqual([401, 200]);
  },
);

test("rotated twice, the first secret is no longer taken: so a leak is ended", async () => {
  const { manage, path, secret } = await createTestEndpoint(fixture);
  const second = (await manage("POST", "/rotate-secret")).json.data.secret;
  const third = (await manage("POST", "/rotate-secret")).json.data.secret;
  const statuses = [secret, second, third].map(
    async (one) => (await post(path, { "x-service-signature": signBody(one, body) })).status,
  );
  expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
});

test("signatures of both secrets in one header are taken, as senders under rotation sign", async () => {
  const { manage, path, secret } = await createTestEndpoint(fixture, { strict: true });
  const rotated = (await manage("POST", "/rotate-secret")).json.data.secret;
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const answer = await post(path, {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({
      secrets: [rotated, secret],
      id: "msg_1",
      timestampSeconds,
      body,
    }),
  });
  expect(answer.status).toBe(200);
});
