import { beforeAll, expect, test } from "vitest";
import { v1Routes } from "../../../api/v1/index.ts";
import { createClient, operations, type Client } from "../../support/client.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let client: Client;

beforeAll(async () => {
  client = await createClient(fixture.api.url, fixture.account.apiKey);
});

test("the client has every route of API v1 with the schemas that the server reads by", () => {
  const ours = Object.values(operations).map((one) => ({
    query: undefined,
    body: undefined,
    ...one,
  }));
  const mounted = v1Routes.map(({ method, path }) => `${method} ${path}`);
  expect(ours.map(({ call }) => call).toSorted()).toEqual(mounted.toSorted());
  for (const { call, query, body } of ours) {
    const route = v1Routes.find(({ method, path }) => `${method} ${path}` === call);
    expect([call, route?.query === query, route?.body === body]).toEqual([call, true, true]);
  }
});

test("a customer's story through all of API v1, each answer as its document says", async () => {
  const made = await client.upsertContact({
    body: { phone: "+52 1 55 1234 5678", name: "Ana Torres" },
  });
  expect(made).toMatchObject({ status: 201, data: { phone: "5215512345678", email: null } });
  const again = await client.upsertContact({
    body: { phone: "525512345678", email: "Ana@Example.com" },
  });
  expect(again).toMatchObject({
    status: 200,
    data: { id: made.data.id, email: "ana@example.com" },
  });
  const contactId = made.data.id;

  const found = await client.listContacts({ query: { search: "torres", limit: 1 } });
  expect(found).toMatchObject({ data: [again.data], meta: { total: 1, limit: 1, offset: 0 } });
  expect((await client.getContact({ id: contactId })).data).toEqual(again.data);
  const renamed = await client.updateContact({ id: contactId, body: { name: null, email: null } });
  expect(renamed.data).toMatchObject({ name: "5215512345678", email: null });

  const opened = await client.openConversation({
    body: { phone: "5215512345678", initial_message: "Hello" },
    idempotencyKey: "story-1",
  });
  expect(opened).toMatchObject({
    status: 201,
    data: { created: true, contact_id: contactId, status: "active", channel: "whatsapp" },
  });
  const { id } = opened.data;
  const first = opened.data.initial_message;
  expect(first).toMatchObject({ content: "Hello", direction: "outbound", sender_type: "api" });

  const body = { content: "Thursday at 10:00?", external_id: "crm-1" };
  const sent = await client.sendMessage({ id, body });
  expect(sent).toMatchObject({ status: 201, data: { conversation_id: id, external_id: "crm-1" } });
  expect(await client.sendMessage({ id, body })).toEqual({ ...sent, status: 200 });
  const page = await client.listMessages({ id, query: { limit: 1 } });
  expect([page.data.map((one) => one.id), page.meta]).toEqual([
    [sent.data.id],
    { total: 2, limit: 1, next_before_id: sent.data.id },
  ]);
  const rest = await client.listMessages({ id, query: { before_id: sent.data.id } });
  expect([rest.data.map((one) => one.id), rest.meta.next_before_id]).toEqual([[first?.id], null]);

  const off = await client.setBot({ id, body: { enabled: false, reason: "Asked for a person" } });
  expect(off.data).toEqual({ conversation_id: id, bot_enabled: false });
  const handed = await client.getConversation({ id });
  expect(handed.data).toMatchObject({
    status: "handed_off",
    handoff: { reason: "Asked for a person", source: "api", actor_user_id: null },
  });
  await client.setBot({ id, body: { enabled: true } });
  const closed = await client.updateConversation({ id, body: { status: "resolved" } });
  expect(closed.data).toMatchObject({ status: "resolved", bot_enabled: true, handoff: null });

  const list = async (status: "active" | "resolved") =>
    (
      await client.listConversations({
        query: { status, channel: "whatsapp", contact_id: contactId },
      })
    ).meta.total;
  expect([await list("active"), await list("resolved")]).toEqual([0, 1]);
  const reopened = await client.openConversation({ body: { phone: "5215512345678" } });
  expect(reopened).toMatchObject({ status: 200, data: { id, created: false, status: "active" } });
});

test("refusals are as the document says, too", async () => {
  const stranger = await createClient(fixture.api.url, "parley_nobody");
  await expect(stranger.listContacts({})).rejects.toThrow("401 invalid_api_key");
  await expect(client.getConversation({ id: 999_999 })).rejects.toThrow(
    "404 conversation_not_found",
  );
  await expect(client.upsertContact({ body: {} })).rejects.toThrow("400 validation_error");
  const { data } = await client.upsertContact({ body: { phone: "5215500000001" } });
  await expect(client.updateContact({ id: data.id, body: { phone: null } })).rejects.toThrow(
    "422 contact_needs_identifier",
  );
  await client.upsertContact({ body: { email: "taken@example.com" } });
  await expect(
    client.updateContact({ id: data.id, body: { email: "taken@example.com" } }),
  ).rejects.toThrow("409 contact_conflict");
  const body = { phone: "5215500000002" };
  await client.openConversation({ body, idempotencyKey: "once" });
  await expect(
    client.openConversation({ body: { phone: "5215500000003" }, idempotencyKey: "once" }),
  ).rejects.toThrow("422 idempotency_key_reused");
});
