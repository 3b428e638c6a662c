import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { checkCalendlySignature } from "../../../core/calendars/calendly-signature.ts";
import { startCalendlyStandIn } from "../../../dev/stand-in/calendly-server.ts";
import { useFixture } from "../../support/use-fixture.ts";

interface Received {
  header: string;
  body: string;
}

const standIn = useFixture(startCalendlyStandIn);
const receiver = useFixture(async () => {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ header: String(request.headers["calendly-webhook-signature"]), body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { received, url, stop: async () => void server.close() };
});

async function control(path: string, body: object = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(`${standIn.url}/control/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

async function subscribe(): Promise<void> {
  const answer = await fetch(`${standIn.url}/webhook_subscriptions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer owner-token" },
    body: JSON.stringify({
      url: receiver.url,
      events: ["invitee.created", "invitee.canceled"],
      scope: "organization",
      signing_key: "key",
    }),
  });
  expect(answer.status).toBe(201);
}

test("a move is two signed webhooks, which can come late, twice and in either order", async () => {
  await subscribe();
  const booked = await control("book", { start_time: "2030-03-05T16:00:00Z" });
  const id = String(booked["uri"]).split("/").at(-1);
  expect(receiver.received).toHaveLength(1);
  await control("hold");
  await control("reschedule", { invitee_id: id, start_time: "2030-03-05T17:00:00Z" });
  expect(receiver.received).toHaveLength(1);
  await control("release", { copies: 2, reversed: true });
  const events = receiver.received.slice(1).map(({ body }) => {
    const { event, payload } = JSON.parse(body) as {
      event: string;
      payload: { rescheduled: boolean; old_invitee: string | null; new_invitee: string | null };
    };
    return [event, payload.rescheduled, payload.old_invitee ?? payload.new_invitee];
  });
  const [created, , cancelled] = events;
  expect(events).toEqual([created, created, cancelled, cancelled]);
  expect(created).toEqual(["invitee.created", false, booked["uri"]]);
  expect(cancelled?.slice(0, 2)).toEqual(["invitee.canceled", true]);
  const checks = receiver.received.map(({ header, body }) =>
    checkCalendlySignature({
      header,
      body: Buffer.from(body),
      key: "key",
      nowSeconds: Math.floor(Date.now() / 1_000),
    }),
  );
  expect(new Set(checks)).toEqual(new Set(["valid"]));
});

test("a forged, a stale and an altered webhook do not fit", async () => {
  const from = receiver.received.length;
  for (const how of [{ forged: true }, { agoSeconds: 600 }, { altered: true }]) {
    await control("hold");
    await control("book", { start_time: "2030-03-06T16:00:00Z" });
    await control("release", how);
  }
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const checks = receiver.received
    .slice(from)
    .map(({ header, body }) =>
      checkCalendlySignature({ header, body: Buffer.from(body), key: "key", nowSeconds }),
    );
  expect(checks).toEqual(["invalid", "stale", "invalid"]);
});

const callback = "https://parley.example/integrations/calendly/callback";

/** A consent of the owner. @returns the code, with the verifier of its challenge */
async function consent(decision = "allow"): Promise<{ code: string | null; verifier: string }> {
  const verifier = "v".repeat(43);
  const screen = new URL(`${standIn.url}/oauth/authorize`);
  const query = {
    client_id: standIn.world.app.clientId,
    redirect_uri: callback,
    response_type: "code",
    scope: "users:read",
    state: "state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) screen.searchParams.set(name, value);
  expect(await (await fetch(screen)).text()).toContain("Lucía Peña");
  const body = new URLSearchParams({ user: "OWNER", decision });
  const answer = await fetch(screen, { method: "POST", body, redirect: "manual" });
  const led = new URL(answer.headers.get("location") ?? "");
  expect(led.searchParams.get("state")).toBe("state");
  return { code: led.searchParams.get("code"), verifier };
}

async function askToken(form: Record<string, string>, path = "token") {
  const { clientId: client_id, clientSecret: client_secret } = standIn.world.app;
  const body = new URLSearchParams(Object.assign({ client_id, client_secret }, form));
  const answer = await fetch(`${standIn.url}/oauth/${path}`, { method: "POST", body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

async function exchange({ code, verifier }: Awaited<ReturnType<typeof consent>>) {
  const grant_type = "authorization_code";
  const given = { grant_type, code: code ?? "", redirect_uri: callback, code_verifier: verifier };
  return await askToken(given);
}

test("a code and a refresh token of the OAuth app work once, with the right verifier and secret", async () => {
  const given = await consent();
  const first = await exchange(given);
  expect(first).toMatchObject({ status: 200, body: { scope: "users:read" } });
  expect(await exchange(given)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  const { code } = await consent();
  expect((await exchange({ code, verifier: "w".repeat(43) })).status).toBe(400);
  const refresh_token = first.body["refresh_token"] ?? "";
  const refresh = { grant_type: "refresh_token", refresh_token };
  expect((await askToken(Object.assign({}, refresh, { client_secret: "wrong" }))).status).toBe(401);
  const second = await askToken(refresh);
  expect(second.status).toBe(200);
  expect(standIn.world.tokens.has(first.body["access_token"] ?? "")).toBe(false);
  expect(await askToken(refresh)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("a denial gives no code, and a revoked grant no token", async () => {
  expect((await consent("deny")).code).toBeNull();
  const { body } = await exchange(await consent());
  const token = body["refresh_token"] ?? "";
  expect((await askToken({ token }, "revoke")).status).toBe(200);
  expect(standIn.world.tokens.has(body["access_token"] ?? "")).toBe(false);
  const refresh = { grant_type: "refresh_token", refresh_token: token };
  expect((await askToken(refresh)).status).toBe(400);
});

test("the controls are for this machine alone", async () => {
  const state = await fetch(`${standIn.url}/control/state`);
  expect(await state.json()).toMatchObject({ tokens: expect.arrayContaining(["owner-token"]) });
  const form = await fetch(`${standIn.url}/control/hold`, { method: "POST", body: "x" });
  expect(form.status).toBe(415);
});
