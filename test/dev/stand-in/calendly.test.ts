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

test("a refresh token of the OAuth app works once", async () => {
  const ask = async (form: Record<string, string>) => {
    const body = new URLSearchParams(form);
    const answer = await fetch(`${standIn.url}/oauth/token`, { method: "POST", body });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const first = await ask({ grant_type: "authorization_code", code: "code-OWNER" });
  const refresh_token = first.body["refresh_token"] ?? "";
  const refresh = { grant_type: "refresh_token", refresh_token };
  expect((await ask(refresh)).status).toBe(200);
  expect(await ask(refresh)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("the controls are for this machine alone", async () => {
  const state = await fetch(`${standIn.url}/control/state`);
  expect(await state.json()).toMatchObject({ tokens: expect.arrayContaining(["owner-token"]) });
  const form = await fetch(`${standIn.url}/control/hold`, { method: "POST", body: "x" });
  expect(form.status).toBe(415);
});
