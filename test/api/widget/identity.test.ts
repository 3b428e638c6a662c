import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import type { WidgetSettings } from "../../../core/model/widget.ts";
import { hashToken } from "../../../core/secrets.ts";
import { recordMessageStatus } from "../../../core/services/conversations/message-sending.ts";
import { insertWidgetSecret } from "../../../core/services/widgets/widget-secrets.ts";
import { asSystem, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import {
  createTestWidget,
  jwtPart,
  openVisit,
  postSession,
  signIdentity,
  type TestWidget,
} from "./widget-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = publicKey.export({ type: "spki", format: "pem" }).toString().trim();

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

function es256(claims: object): string {
  const text = `${jwtPart({ alg: "ES256" })}.${jwtPart(claims)}`;
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

async function createKnownWidget(
  mode = "optional",
  settings: Partial<WidgetSettings> = {},
  account?: TestAccount,
): Promise<TestWidget & { secret: string; identity: (claims: object) => string }> {
  const given = { identityMode: mode, settings };
  const widget = await createTestWidget(
    fixture,
    account === undefined ? given : Object.assign(given, { account }),
  );
  const { accountId } = widget.account;
  const secret = await asSystem(fixture.database.dataSource, accountId, (tx) =>
    insertWidgetSecret(tx, fixture.api.deps.secretBox, widget.widgetId),
  );
  const identity = (claims: object) => signIdentity({ exp: inSeconds(600), ...claims }, secret);
  return { ...widget, secret, identity };
}

const contactsOf = async ({ account }: TestWidget) =>
  await fixture.query(
    "SELECT name, email, phone FROM contacts WHERE account_id = ? AND merged_into_id IS NULL ORDER BY id",
    [account.accountId],
  );

test("an identity that is forged, unsigned, old, or of another widget is refused", async () => {
  const widget = await createKnownWidget();
  const other = await createKnownWidget();
  const good = { sub: "42", exp: inSeconds(600) };
  const [header, body] = signIdentity(good, widget.secret).split(".");
  const none = `${jwtPart({ alg: "none" })}.${jwtPart(good)}`;
  const refused: Record<string, string> = {
    none: `${none}.`,
    noneWithSignature: signIdentity(good, widget.secret, { alg: "none" }),
    otherCase: `${jwtPart({ alg: "nOnE" })}.${jwtPart(good)}.`,
    otherSecret: signIdentity(good, other.secret),
    emptySecret: signIdentity(good, ""),
    pemAsSecret: signIdentity(good, pem),
    cut: `${header}.${body}.`,
    es256: es256(good),
    hs512: signIdentity(good, widget.secret, { alg: "HS512" }),
    expired: signIdentity({ sub: "42", exp: inSeconds(-120) }, widget.secret),
    endless: signIdentity({ sub: "42" }, widget.secret),
    longLife: signIdentity({ sub: "42", exp: inSeconds(25 * 3_600) }, widget.secret),
    noSub: signIdentity({ exp: inSeconds(600) }, widget.secret),
    numberSub: signIdentity({ sub: 42, exp: inSeconds(600) }, widget.secret),
    strangeSub: signIdentity({ sub: "a b", exp: inSeconds(600) }, widget.secret),
    otherAudience: signIdentity({ ...good, aud: other.key }, widget.secret),
    text: "not a token",
  };
  for (const [name, identity] of Object.entries(refused)) {
    const answer = await postSession(fixture, { key: widget.key, identity });
    expect([name, answer.status, answer.json.error.code]).toEqual([name, 403, "identity_invalid"]);
  }
  const sessions = "SELECT id FROM widget_sessions WHERE widget_id = ?";
  expect(await fixture.query(sessions, [widget.widgetId])).toEqual([]);
  const named = signIdentity({ ...good, aud: [widget.key] }, widget.secret);
  const { begun, visitorId } = await openVisit(fixture, widget, { identity: named });
  expect([begun.status, visitorId]).toEqual([201, "u_42"]);
});

test("with a public key only ES256 counts: neither the secret nor the key as a secret", async () => {
  const widget = await createKnownWidget();
  await fixture.query("UPDATE widgets SET identity_public_key = ? WHERE id = ?", [
    pem,
    widget.widgetId,
  ]);
  const claims = { sub: "7", exp: inSeconds(600) };
  for (const identity of [
    signIdentity(claims, widget.secret),
    signIdentity(claims, pem),
    signIdentity(claims, `${pem}\n`),
    signIdentity(claims, pem, { alg: "ES256" }),
  ]) {
    const answer = await postSession(fixture, { key: widget.key, identity });
    expect([answer.status, answer.json.error.code]).toEqual([403, "identity_invalid"]);
  }
  expect((await openVisit(fixture, widget, { identity: es256(claims) })).visitorId).toBe("u_7");
});

test("a widget without identities takes none", async () => {
  const widget = await createKnownWidget("off");
  const answer = await postSession(fixture, {
    key: widget.key,
    identity: widget.identity({ sub: "1" }),
  });
  expect([answer.status, answer.json.error.code]).toEqual([403, "identity_invalid"]);
});

test("an anonymous visitor's contact merges into the person's, and the secrets change", async () => {
  const widget = await createKnownWidget();
  const person = { sub: "ana", name: "Ana Torres", email: "ana@example.com" };
  const phone = await openVisit(fixture, widget, { identity: widget.identity(person) });
  await phone.write("From my phone");
  const laptop = await openVisit(fixture, widget);
  await laptop.write("Before the login");
  expect(await contactsOf(widget)).toHaveLength(2);
  const { status, json } = await laptop.call("POST", "/identify", {
    identity: widget.identity(person),
  });
  expect([status, json.data.visitor]).toEqual([
    200,
    { id: "u_ana", name: "Ana Torres", verified: true, has_email: true, has_phone: false },
  ]);
  expect(await contactsOf(widget)).toEqual([
    { name: "Ana Torres", email: "ana@example.com", phone: null },
  ]);
  expect(json.data.token).not.toBe(laptop.token);
  expect((await laptop.call("GET", "/messages")).status).toBe(401);
  const replayed = await openVisit(fixture, widget, { resume: laptop.resume });
  expect(replayed.visitorId).toMatch(/^v_/u);
  const resumed = await openVisit(fixture, widget, { resume: json.data.resume });
  expect([resumed.visitorId, await resumed.texts()]).toEqual(["u_ana", ["Before the login"]]);
  expect((await resumed.write("After it")).status).toBe(201);
  expect(await contactsOf(widget)).toHaveLength(1);
});

test("the first identity of a visitor makes the contact the person's", async () => {
  const widget = await createKnownWidget();
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const claims = { sub: "9", name: "Luis", email: "luis@example.com", phone: "+52 55 1234 5678" };
  const { json } = await visitor.call("POST", "/identify", { identity: widget.identity(claims) });
  expect(json.data.conversation).not.toBeNull();
  expect(await contactsOf(widget)).toEqual([
    { name: "Luis", email: "luis@example.com", phone: "525512345678" },
  ]);
  const elsewhere = await openVisit(fixture, widget, { identity: widget.identity({ sub: "9" }) });
  expect(await elsewhere.texts()).toEqual(["Hi"]);
});

test("another person on the same browser begins anew, with nothing from before", async () => {
  const widget = await createKnownWidget();
  const first = await openVisit(fixture, widget, { identity: widget.identity({ sub: "a" }) });
  await first.write("Of the first person");
  const { json } = await first.call("POST", "/identify", {
    identity: widget.identity({ sub: "b" }),
  });
  expect(json.data).toMatchObject({ conversation: null, unread: 0, visitor: { id: "u_b" } });
  expect((await first.call("GET", "/messages")).status).toBe(401);
  const again = await openVisit(fixture, widget, {
    resume: json.data.resume,
    identity: widget.identity({ sub: "c" }),
  });
  expect([again.visitorId, await again.texts()]).toEqual(["u_c", []]);
  expect((await openVisit(fixture, widget, { resume: json.data.resume })).visitorId).not.toBe(
    "u_b",
  );
});

test("a person with an email that a visitor typed first gets into no conversation of that visitor", async () => {
  const widget = await createKnownWidget();
  const stranger = await openVisit(fixture, widget);
  await stranger.call("POST", "/contact", { email: "eva@example.com" });
  await stranger.write("I am Eva");
  const claims = { sub: "eva", email: "eva@example.com" };
  const eva = await openVisit(fixture, widget, { identity: widget.identity(claims) });
  expect(await eva.texts()).toEqual([]);
  await eva.write("My order?");
  expect(await stranger.texts()).toEqual(["I am Eva"]);
  expect(await eva.texts()).toEqual(["My order?"]);
});

test("a person with an email and phone that another person typed first shares nothing with that person", async () => {
  const widget = await createKnownWidget();
  const typed = { email: "eva@example.com", phone: "+52 55 1111 2222" };
  const bob = await openVisit(fixture, widget, { identity: widget.identity({ sub: "bob" }) });
  await bob.write("Of Bob");
  await bob.call("POST", "/contact", typed);
  const claims = Object.assign({ sub: "eva" }, typed);
  const eva = await openVisit(fixture, widget, { identity: widget.identity(claims) });
  expect(await eva.texts()).toEqual([]);
  await eva.write("Of Eva");
  expect([await bob.texts(), await eva.texts()]).toEqual([["Of Bob"], ["Of Eva"]]);
  const again = await openVisit(fixture, widget, { identity: widget.identity({ sub: "bob" }) });
  expect(await again.texts()).toEqual(["Of Bob"]);
});

test("a typed email or phone fills an empty field of a person, and replaces none of an identity", async () => {
  const widget = await createKnownWidget();
  const claims = { sub: "ana", name: "Ana", email: "ana@example.com" };
  const ana = await openVisit(fixture, widget, { identity: widget.identity(claims) });
  const typed = { email: "eva@example.com", phone: "+52 55 1111 3333" };
  const before = await ana.call("POST", "/contact", typed);
  expect(before.json.data).toMatchObject({ has_email: true, has_phone: true });
  await ana.write("Hi");
  const known = [{ name: "Ana", email: "ana@example.com", phone: "525511113333" }];
  expect(await contactsOf(widget)).toEqual(known);
  await ana.call("POST", "/contact", { email: "eva@example.com", phone: "+52 55 1111 4444" });
  expect(await contactsOf(widget)).toEqual(known);
  const moved = widget.identity({ sub: "ana", name: "Ana", email: "new@example.com" });
  await ana.call("POST", "/identify", { identity: moved });
  expect(await contactsOf(widget)).toMatchObject([{ name: "Ana", email: "new@example.com" }]);
});

test("an identity finds the contact that the company knows by its email, in each chat of the account", async () => {
  const widget = await createKnownWidget();
  const { account } = widget;
  const body = { name: "Ana", email: "ana@example.com" };
  await fixture.api.call("POST", "/api/v1/contacts", { apiKey: account.apiKey, body });
  const claims = { sub: "ana", email: "ana@example.com" };
  const sibling = await createKnownWidget("optional", {}, account);
  for (const chat of [widget, sibling]) {
    const ana = await openVisit(fixture, chat, { identity: chat.identity(claims) });
    await ana.write("Hi");
  }
  expect(await contactsOf(widget)).toEqual([
    { name: "Ana", email: "ana@example.com", phone: null },
  ]);
});

test("only a person writes where identities are required", async () => {
  const widget = await createKnownWidget("required");
  const visitor = await openVisit(fixture, widget);
  expect((await visitor.write("Hi")).json.error.code).toBe("identity_required");
  const identity = widget.identity({ sub: "x" });
  const { json } = await visitor.call("POST", "/identify", { identity });
  const known = await openVisit(fixture, widget, { resume: json.data.resume });
  expect((await known.write("Hi")).status).toBe(201);
});

test("an identity that has ended resumes the session of its person, and is nobody's way into another", async () => {
  const widget = await createKnownWidget();
  const visit = async (more: object) => await openVisit(fixture, widget, { ...more });
  const ended = (sub: string, key = widget.secret) =>
    signIdentity({ sub, exp: inSeconds(-3_600) }, key);
  const ana = await visit({ identity: widget.identity({ sub: "ana", name: "Ana" }) });
  await ana.write("Hi");
  await fixture.query(
    "UPDATE widget_sessions SET expires_at = UTC_TIMESTAMP(3) WHERE token_hash = ?",
    [hashToken(ana.token)],
  );
  const { resume } = ana;
  const renewed = await visit({ resume, identity: ended("ana") });
  expect([renewed.begun.status, renewed.visitorId]).toEqual([201, "u_ana"]);
  expect(await renewed.texts()).toEqual(["Hi"]);
  expect((await renewed.call("POST", "/identify", { identity: ended("ana") })).status).toBe(200);
  const stranger = await visit({});
  const refused = [
    await visit({ resume, identity: ended("luis") }),
    await visit({ resume, identity: ended("ana", "another secret") }),
    await visit({ resume: stranger.resume, identity: ended("ana") }),
    await visit({ identity: ended("ana") }),
  ].map(({ begun }) => begun);
  refused.push(await stranger.call("POST", "/identify", { identity: ended("ana") }));
  for (const { status, json } of refused)
    expect([status, json.error.code]).toEqual([403, "identity_invalid"]);
  expect(await renewed.texts()).toEqual(["Hi"]);
});

test("a repeated identity leaves no secret in a browser that is not remembered", async () => {
  const widget = await createKnownWidget("optional", { remembers: false });
  const identity = widget.identity({ sub: "ana" });
  const ana = await openVisit(fixture, widget, { identity });
  const again = await ana.call("POST", "/identify", { identity });
  expect([again.status, again.json.data.visitor.id, again.json.data.resume]).toEqual([
    200,
    "u_ana",
    null,
  ]);
  expect(again.headers.get("set-cookie")).toBeNull();
});

test("messages that a person has read on one device are not unread on the next one", async () => {
  const widget = await createKnownWidget();
  const identity = widget.identity({ sub: "ana" });
  const phone = await openVisit(fixture, widget, { identity });
  await phone.write("Hi");
  const { accountId, cookie } = widget.account;
  const [row] = await fixture.query<{ id: number }>(
    "SELECT id FROM conversations WHERE account_id = ?",
    [accountId],
  );
  const reply = async (content: string) => {
    const path = `/dashboard/api/conversations/${row?.id}/messages`;
    const { json } = await fixture.api.call("POST", path, { cookie, body: { content } });
    await asSystem(fixture.database.dataSource, accountId, async (tx) => {
      await recordMessageStatus(tx, json.data.id, "sent");
    });
    return json.data.id as number;
  };
  const read = await reply("Read on the phone");
  await phone.call("POST", "/read", { up_to_message_id: read });
  await reply("Not read yet");
  const laptop = await openVisit(fixture, widget, { identity });
  expect(laptop.begun.json.data.unread).toBe(1);
});

test("a person finds the conversation that began on another device, once the session is resumed", async () => {
  const widget = await createKnownWidget();
  const identity = widget.identity({ sub: "ana" });
  const laptop = await openVisit(fixture, widget, { identity });
  const phone = await openVisit(fixture, widget, { identity });
  await phone.write("From my phone");
  const again = await openVisit(fixture, widget, { identity, resume: laptop.resume });
  expect([again.visitorId, await again.texts()]).toEqual(["u_ana", ["From my phone"]]);
  const stranger = await openVisit(fixture, widget);
  expect(await stranger.texts()).toEqual([]);
});
