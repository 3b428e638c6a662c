import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { splitWebhook } from "../../../core/channels/meta/split-webhook.ts";
import { hmacHex, metaCustomers, type MetaNetwork } from "../../../dev/stand-in/meta-accounts.ts";
import { startMetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { accountOf, app, startMetaFixture, textTo } from "./meta-fixture.ts";
import type { GraphOptions, MetaFixture } from "./meta-fixture.ts";

let fixture: MetaFixture;
beforeEach(async () => void (fixture = await startMetaFixture()));
afterEach(async () => await fixture.stop());

async function send(network: MetaNetwork, body: unknown, options: GraphOptions = {}) {
  const path = `/${accountOf(network).id}/messages`;
  return await fixture.graph(path, { network, method: "POST", body, ...options });
}

function customerOf(network: MetaNetwork): string {
  return metaCustomers[network].id ?? "";
}

async function sendText(network: MetaNetwork, more: object = {}, options: GraphOptions = {}) {
  return await send(network, textTo(network, customerOf(network), "Hola", more), options);
}

/** Kinds and statuses of what arrived, in order. */
function arrived(): string[] {
  return fixture.arrivals
    .flatMap(({ body }) => splitWebhook(body))
    .map((item) => (item.kind === "status" ? item.status : item.kind));
}

test("an accepted send has an id, and sent, delivered and read follow with our data", async () => {
  const { status, json } = await sendText("whatsapp", { biz_opaque_callback_data: "41" });
  expect(status).toBe(200);
  expect(json.contacts).toEqual([{ input: "5215512345678", wa_id: "5215512345678" }]);
  await fixture.standIn.idle();
  expect(arrived()).toEqual(["sent", "delivered", "read"]);
  const [first] = splitWebhook(fixture.arrivals[0]?.body);
  expect(first).toMatchObject({ messageId: json.messages[0].id, callbackData: "41" });
  expect(fixture.standIn.lines()).toMatchObject([{ isOurs: true, text: "Hola", status: "read" }]);
});

test("Messenger and Instagram answer ids, echo, and say what was read", async () => {
  const messenger = await sendText("messenger");
  expect(messenger.json).toMatchObject({ recipient_id: customerOf("messenger") });
  await fixture.standIn.idle();
  // A delivery of Messenger names messages and a watermark, which are two items.
  expect([...new Set(arrived())]).toEqual(["echo", "delivered", "read"]);
  const [echo] = splitWebhook(fixture.arrivals[0]?.body);
  expect(echo).toMatchObject({ providerKey: messenger.json.message_id, byAutomation: true });
  fixture.arrivals.length = 0;
  expect((await sendText("instagram")).status).toBe(200);
  await fixture.standIn.idle();
  expect(arrived()).toEqual(["echo", "read"]);
});

describe("refusals", () => {
  test("a wrong token is 190, a missing or wrong proof is 100", async () => {
    const wrong = await sendText("whatsapp", {}, { token: "another" });
    expect(wrong).toMatchObject({ status: 401, json: { error: { code: 190 } } });
    for (const proof of [null, "0".repeat(64)]) {
      const unproven = await sendText("whatsapp", {}, { proof });
      expect(unproven).toMatchObject({ status: 400, json: { error: { code: 100 } } });
    }
    expect((await sendText("instagram", {}, { proof: null })).status).toBe(200);
    expect((await sendText("instagram", {}, { proof: "0" })).status).toBe(400);
    expect(fixture.standIn.calls()).toHaveLength(1);
  });

  test.each([
    ["whatsapp", { extra: 1 }, /Unexpected key "extra"/],
    ["messenger", { extra: 1 }, /Unexpected key "extra"/],
    [
      "instagram",
      { message: { text: "Hola", extra: 1 } },
      /Unexpected key "extra" on param "message"/,
    ],
    ["messenger", { tag: "HUMAN_AGENT" }, /tag/],
    ["messenger", { messaging_type: "MESSAGE_TAG", tag: "ACCOUNT_UPDATE" }, /tag/],
    ["whatsapp", { type: "text", text: { body: "x".repeat(4_097) } }, /text.body/],
    ["messenger", { message: { text: "x".repeat(2_001) } }, /2000 characters/],
    ["instagram", { message: { text: "ñ".repeat(500) } }, /1000 bytes/],
  ] as const)("%s refuses %j with 100", async (network, more, words) => {
    const { status, json } = await sendText(network, more);
    expect([status, json.error.code]).toEqual([400, 100]);
    expect(json.error.message).toMatch(words);
  });

  test("the longest texts pass", async () => {
    expect((await sendText("whatsapp", { text: { body: "x".repeat(4_096) } })).status).toBe(200);
    expect((await sendText("messenger", { message: { text: "ñ".repeat(2_000) } })).status).toBe(
      200,
    );
    expect((await sendText("instagram", { message: { text: "x".repeat(999) } })).status).toBe(200);
  });

  test("a user id in `to` is answered and never sent; in `recipient` it arrives", async () => {
    const dropped = await send("whatsapp", textTo("whatsapp", "MX.1349", "Hola"));
    expect(dropped.status).toBe(200);
    expect(dropped.json.messages[0].id).toMatch(/^wamid\./);
    await fixture.standIn.idle();
    expect(arrived()).toEqual([]);
    expect(fixture.standIn.calls()).toMatchObject([{ messageId: null, answered: 200 }]);
    const text = { body: "Hola" };
    const body = { messaging_product: "whatsapp", recipient: "MX.1349", type: "text", text };
    expect((await send("whatsapp", body)).status).toBe(200);
    await fixture.standIn.idle();
    expect(arrived()).toEqual(["sent", "delivered", "read"]);
  });
});

describe("scripts", () => {
  test.each([
    ["pair_limit", "whatsapp", 400, 131_056],
    ["number_limit", "whatsapp", 429, 130_429],
    ["number_limit", "messenger", 400, 613],
    ["unreachable", "whatsapp", 400, 131_026],
    ["unreachable", "instagram", 400, 551],
    ["window_late", "messenger", 400, 10],
    ["server_error", "whatsapp", 500, 131_000],
    ["server_error", "messenger", 500, 2],
  ] as const)("%s at %s is %i with %i, once", async (name, network, status, code) => {
    fixture.standIn.script(name, 1);
    const refused = await sendText(network);
    expect([refused.status, refused.json.error.code]).toEqual([status, code]);
    expect((await sendText(network)).status).toBe(200);
    expect(fixture.standIn.calls().map(({ answered }) => answered)).toEqual([status, 200]);
  });

  test("server_error_bare has no body", async () => {
    fixture.standIn.script("server_error_bare");
    expect(await sendText("whatsapp")).toEqual({ status: 502, json: null });
  });

  test("window_late is accepted, and a status fails with 131047", async () => {
    fixture.standIn.script("window_late");
    expect((await sendText("whatsapp")).status).toBe(200);
    await fixture.standIn.idle();
    const [item] = splitWebhook(fixture.arrivals[0]?.body);
    expect(item).toMatchObject({ status: "failed", error: { code: 131_047 } });
    expect(arrived()).toEqual(["failed"]);
  });

  test("token refuses every call until another script", async () => {
    fixture.standIn.script("token", 1);
    const number = `/${accountOf("whatsapp").id}`;
    for (const answer of [await sendText("whatsapp"), await sendText("messenger")])
      expect(answer).toMatchObject({ status: 401, json: { error: { code: 190 } } });
    expect(await fixture.graph(number)).toMatchObject({ status: 401 });
    fixture.standIn.script("normal");
    expect((await fixture.graph(number)).status).toBe(200);
  });

  test("hang sends the message and never answers", async () => {
    fixture.standIn.script("hang", 1);
    const stopped = new AbortController();
    const answer = sendText("whatsapp", {}, { signal: stopped.signal });
    await expect.poll(arrived).toEqual(["sent", "delivered", "read"]);
    stopped.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    expect(fixture.standIn.calls()).toMatchObject([{ script: "hang", answered: 0 }]);
  });

  test.each([
    ["whatsapp", ["sent", "delivered", "read"]],
    ["messenger", ["echo", "delivered", "read"]],
  ] as const)("status_first at %s comes before the answer", async (network, kinds) => {
    fixture.standIn.script("status_first");
    await sendText(network);
    expect([...new Set(arrived())]).toEqual(kinds);
  });

  test.each([
    ["shuffled", ["read", "delivered", "sent"]],
    ["twice", ["sent", "sent", "delivered", "delivered", "read", "read"]],
    ["echo_only", []],
  ] as const)("%s reports %j", async (name, statuses) => {
    fixture.standIn.script(name);
    await sendText("whatsapp");
    await fixture.standIn.idle();
    expect(arrived()).toEqual(statuses);
  });
});

test("tokens, numbers, accounts and subscriptions are described", async () => {
  const { id, parentId, token } = accountOf("whatsapp");
  const caller = { token: `${app.id}|${app.secret}`, proof: null };
  const debug = await fixture.graph(`/debug_token?input_token=${token}`, caller);
  expect(debug.json.data).toMatchObject({ is_valid: true, app_id: app.id, expires_at: 0 });
  expect((await fixture.graph(`/debug_token?input_token=${token}`)).status).toBe(401);
  const fields = "display_phone_number,verified_name,status,quality_rating,throughput";
  const number = await fixture.graph(`/${id}?fields=${fields}`);
  expect(number.json).toMatchObject({ id, status: "CONNECTED", quality_rating: "GREEN" });
  expect((await fixture.graph(`/${id}?fields=nothing`)).json.error.code).toBe(100);
  const numbers = await fixture.graph(`/${parentId}/phone_numbers`);
  expect(numbers.json.data).toMatchObject([{ id }]);
  const me = await fixture.graph("/me?fields=user_id,username", { network: "instagram" });
  expect(me.json.user_id).toBe(accountOf("instagram").id);
  expect(me.json.id).not.toBe(me.json.user_id);
  const page = `/${accountOf("messenger").id}/subscribed_apps`;
  const messenger = { network: "messenger", method: "POST" } as const;
  expect((await fixture.graph(page, messenger)).json.error.code).toBe(100);
  const named = await fixture.graph(`${page}?subscribed_fields=messages`, messenger);
  expect(named.json).toEqual({ success: true });
  expect((await fixture.graph("/999/messages", { method: "POST" })).json.error.code).toBe(100);
});

test("a Page sends for its Instagram account with the same token", async () => {
  const page = accountOf("messenger");
  const account = {
    ...accountOf("instagram"),
    driver: "instagram_page",
    token: page.token,
  } as const;
  const standIn = await startMetaStandIn({ app, accounts: [page, account], statusMs: 1 });
  onTestFinished(async () => await standIn.close());
  for (const network of ["messenger", "instagram"] as const) {
    await standIn.receive(network, { kind: "text", text: "Hola" });
    const proof = hmacHex(app.secret, page.token);
    await fetch(`${standIn.url}/v26.0/${page.id}/messages?appsecret_proof=${proof}`, {
      method: "POST",
      headers: { authorization: `Bearer ${page.token}` },
      body: JSON.stringify(textTo(network, customerOf(network), "Hola")),
    });
  }
  expect(standIn.calls()).toMatchObject([
    { network: "messenger", answered: 200 },
    { network: "instagram", answered: 200 },
  ]);
});
