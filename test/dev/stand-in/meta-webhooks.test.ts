import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { metaNetworks } from "../../../dev/stand-in/meta-accounts.ts";
import { metaKinds } from "../../../dev/stand-in/meta-customer.ts";
import { splitWebhook } from "../../../core/channels/meta/split-webhook.ts";
import { accountOf, app, startMetaFixture, type MetaFixture } from "./meta-fixture.ts";

let fixture: MetaFixture;
beforeEach(async () => void (fixture = await startMetaFixture()));
afterEach(async () => await fixture.stop());

function sign(secret: string, text: string): string {
  return `sha256=${createHmac("sha256", secret).update(text, "latin1").digest("hex")}`;
}

test("the handshake sends mode, token and challenge, and a callback that refuses is named", async () => {
  expect(await fixture.standIn.verify()).toBe(null);
  const [query] = fixture.handshakes;
  expect(query?.get("hub.mode")).toBe("subscribe");
  expect(query?.get("hub.challenge")).toMatch(/^\d+$/);
  const wrong = { override_callback_uri: fixture.callbackUrl, verify_token: "wrong" };
  const path = `/${accountOf("whatsapp").parentId}/subscribed_apps`;
  const refused = await fixture.graph(path, { method: "POST", body: wrong });
  expect(refused).toMatchObject({ status: 400, json: { error: { code: 2200 } } });
  expect(refused.json.error.message).toContain("403");
});

test("a webhook is ASCII with escapes, and its signature covers those bytes alone", async () => {
  await fixture.standIn.receive("whatsapp", { kind: "text", text: "¿Qué tal? 👍" });
  const [{ text, signature, body }] = fixture.arrivals as [(typeof fixture.arrivals)[0]];
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(text).toContain(String.raw`\u00bfQu\u00e9 tal? \ud83d\udc4d`);
  expect(signature).toBe(sign(app.secret, text));
  expect(signature).not.toBe(
    `sha256=${createHmac("sha256", app.secret).update(JSON.stringify(body)).digest("hex")}`,
  );
});

test("Instagram Login signs with its own secret", async () => {
  await fixture.standIn.receive("instagram", { kind: "text", text: "Hola" });
  const [arrival] = fixture.arrivals;
  expect(arrival?.signature).toBe(sign(app.instagramSecret, arrival?.text ?? ""));
});

test("every kind of each network is one item that Parley can read", async () => {
  const missing: string[] = [];
  const read: string[] = [];
  for (const network of metaNetworks) {
    for (const kind of metaKinds) {
      const deed = { kind, text: "5215500000000", targetId: "wamid.1" };
      const before = fixture.arrivals.length;
      const isKnown = await fixture.standIn.receive(network, deed).then(
        () => true,
        () => false,
      );
      if (!isKnown) missing.push(`${network} ${kind}`);
      for (const { body } of fixture.arrivals.slice(before)) {
        const items = splitWebhook(body);
        expect(items).toMatchObject([{ network, externalId: accountOf(network).id }]);
        read.push(...items.map((item) => item.kind));
      }
    }
  }
  const others = ["location", "contact", "order", "number_change"];
  expect(missing).toEqual([
    "whatsapp story_reply",
    "whatsapp read",
    ...others.map((kind) => `messenger ${kind}`),
    ...others.map((kind) => `instagram ${kind}`),
  ]);
  expect(read).toHaveLength(3 * metaKinds.length - missing.length);
  expect(read).not.toContain("unreadable");
  expect(read).not.toContain("account");
});

test("a customer without a phone has a user id alone", async () => {
  const customer = { userId: "MX.77", name: "Eva" };
  await fixture.standIn.receive("whatsapp", { kind: "text", text: "Hola" }, customer);
  expect(fixture.arrivals[0]?.text).not.toContain("wa_id");
  const [item] = splitWebhook(fixture.arrivals[0]?.body);
  expect(item).toMatchObject({ customer: "MX.77", from: { userId: "MX.77", waId: null } });
});

test("an answer other than 200 brings the same bytes again, with growing pauses", async () => {
  fixture.answers.push(503, 204, 401);
  const startedAt = performance.now();
  await fixture.standIn.receive("messenger", { kind: "text", text: "Hola" });
  await fixture.standIn.idle();
  // 20, 40 and 80 ms.
  expect(performance.now() - startedAt).toBeGreaterThan(135);
  expect(fixture.standIn.deliveries()).toMatchObject([
    { answers: [503, 204, 401, 200], isDone: true },
  ]);
  expect(new Set(fixture.arrivals.map(({ text }) => text)).size).toBe(1);
  expect(fixture.arrivals).toHaveLength(4);
});

test("held webhooks come regrouped, reversed and twice", async () => {
  fixture.standIn.hold();
  for (const text of ["one", "two", "three"])
    await fixture.standIn.receive("whatsapp", { kind: "text", text, id: `wamid.${text}` });
  expect(fixture.arrivals).toEqual([]);
  const sent = await fixture.standIn.release({ perWebhook: 2, copies: 2, reversed: true });
  expect(sent).toBe(4);
  const ids = fixture.arrivals.map(({ body }) =>
    splitWebhook(body).map(({ providerKey }) => providerKey),
  );
  const batch = ["wamid.three", "wamid.two"];
  expect(ids).toEqual([batch, batch, ["wamid.one"], ["wamid.one"]]);
  await fixture.standIn.receive("whatsapp", { kind: "text", text: "four" });
  expect(fixture.arrivals).toHaveLength(5);
});
