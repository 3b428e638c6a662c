import { expect, test } from "vitest";
import {
  callsOf,
  CalendlyAway,
  CalendlyRefused,
  CalendlyTokenInvalid,
} from "../../activities/calendars/calendly-calls.ts";
import { createCalendly } from "../../activities/calendars/calendly.ts";
import { bookVisit, markVisit } from "../../dev/stand-in/calendly-customer.ts";
import { startCalendlyStandIn } from "../../dev/stand-in/calendly-server.ts";
import { useFixture } from "../support/use-fixture.ts";

const standIn = useFixture(startCalendlyStandIn);

async function withCalls<T>(
  use: (calls: ReturnType<typeof callsOf>) => Promise<T>,
  token = "owner-token",
  timeoutMs?: number,
): Promise<T> {
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  const client = createCalendly({ apiUrl: standIn.url, ...limits });
  try {
    return await use(callsOf(client, token));
  } finally {
    await client.close();
  }
}

const startTime = new Date("2030-03-05T16:00:00.000Z");
const place = {
  scope: "organization" as const,
  organizationUri: "https://api.calendly.com/organizations/ORG",
  userUri: "https://api.calendly.com/users/OWNER",
};

test("the owner, the role and the members of an organization are read", async () => {
  await withCalls(async (calls) => {
    const owner = await calls.readOwner();
    expect(owner).toMatchObject({ userId: "OWNER", organizationUri: place.organizationUri });
    expect(await calls.readRole(owner)).toBe("owner");
    const users = await calls.listUsers(owner.organizationUri);
    expect(users.map(({ id }) => id)).toEqual(["OWNER", "MEMBER"]);
    const types = await calls.listEventTypes(place);
    expect(types.map(({ id }) => id)).toEqual(["VISIT", "CHECK", "CLASS"]);
  });
});

test("all pages of a list are read by token, from the configured host alone", async () => {
  for (let count = 0; count < 101; count += 1) await bookVisit(standIn.world, { startTime });
  const events = await withCalls(
    async (calls) => await calls.listEvents(place, new Date(), "active"),
  );
  expect(events).toHaveLength(101);
  const [first] = events;
  if (first === undefined) throw new Error("There are events.");
  const invitees = await withCalls(async (calls) => await calls.listInvitees(first));
  expect(invitees).toMatchObject([{ name: "Ana Torres", event: { startTime } }]);
});

test("an invitee is found by ids; an unknown one is null", async () => {
  const guest = await bookVisit(standIn.world, { startTime });
  const ref = { eventId: guest.eventId, inviteeId: guest.id };
  await withCalls(async (calls) => {
    expect(await calls.findInvitee(ref)).toMatchObject({ inviteeId: guest.id, isActive: true });
    expect(await calls.findInvitee({ eventId: guest.eventId, inviteeId: "NONE" })).toBe(null);
    const id = await calls.markNoShow(ref);
    expect(standIn.world.guests.get(guest.id)?.noShowId).toBe(id);
    await calls.unmarkNoShow(id ?? "");
    expect(standIn.world.guests.get(guest.id)?.noShowId).toBe(null);
    await calls.cancelEvent(guest.eventId, "Closed");
    await calls.cancelEvent(guest.eventId, "Closed");
  });
  expect(standIn.world.guests.get(guest.id)?.status).toBe("canceled");
  expect((await markVisit(standIn.world, guest.id, false)).noShowId).toBe(null);
});

test("a subscription is made once for a URL, and is found and deleted", async () => {
  const url = "https://parley.example/api/webhooks/calendly/abc";
  await withCalls(async (calls) => {
    const id = await calls.subscribe(place, url, "key");
    const again = calls.subscribe(place, url, "key");
    await expect(again).rejects.toMatchObject({ name: "CalendlyRefused", status: 409 });
    expect(await calls.findSubscription(id)).toEqual({ id, callbackUrl: url, isActive: true });
    expect(await calls.listSubscriptions(place)).toHaveLength(1);
    await calls.unsubscribe(id);
    await calls.unsubscribe(id);
    expect(await calls.findSubscription(id)).toBe(null);
  });
});

test("a missing scope is a refusal, and an unknown token is invalid", async () => {
  standIn.world.tokens.set("narrow", { userId: "OWNER", scopes: ["users:read"] });
  const types = withCalls(async (calls) => await calls.listEventTypes(place), "narrow");
  await expect(types).rejects.toThrow(CalendlyRefused);
  const owner = withCalls(async (calls) => await calls.readOwner(), "unknown");
  await expect(owner).rejects.toThrow(CalendlyTokenInvalid);
});

test("a token whose quota is used up is not used until the reset", async () => {
  standIn.world.fault = { kind: "quota", status: 429, resetSeconds: 60, left: 1 };
  await withCalls(async (calls) => {
    await expect(calls.readOwner()).rejects.toMatchObject({ code: "quota", waitMs: 60_000 });
    const before = standIn.world.requests.length;
    await expect(calls.readOwner()).rejects.toThrow(CalendlyAway);
    expect(standIn.world.requests).toHaveLength(before);
  });
});

test("a server in trouble and one that never answers are away", async () => {
  standIn.world.fault = { kind: "status", status: 503, resetSeconds: 0, left: 1 };
  const broken = withCalls(async (calls) => await calls.readOwner());
  await expect(broken).rejects.toMatchObject({ code: "http_503" });
  standIn.world.fault = { kind: "hang", status: 0, resetSeconds: 0, left: 1 };
  const silent = withCalls(async (calls) => await calls.readOwner(), "owner-token", 200);
  await expect(silent).rejects.toMatchObject({ code: "timeout" });
});
