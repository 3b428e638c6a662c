import { expect, test } from "vitest";
import { eventCatalogue, eventEnvelope } from "../../core/model/events.ts";
import { createTestSubscription } from "../support/accounts.ts";
import { eventually } from "../support/eventually.ts";
import type { Posted } from "../support/sink.ts";
import { dashboard, startDeliveryFixture } from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);

function eventOf({ body }: Posted) {
  const event = eventEnvelope.parse(JSON.parse(body.toString()));
  // Strict schemas: a member too many or of another type is an error.
  eventCatalogue[event.event_type].data.parse(event.data);
  return event;
}

test("a customer's first message reaches receivers as contact, conversation and message", async () => {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const all = await createTestSubscription(dataSource, accountId, {
    url: `${fixture.sink.url}/all`,
  });
  const web = await createTestSubscription(dataSource, accountId, {
    url: `${fixture.sink.url}/web`,
  });
  await dataSource.query("UPDATE subscriptions SET channels = ? WHERE id = ?", [
    JSON.stringify(["web_widget"]),
    web.id,
  ]);
  const write = async (channel: string, from: string) =>
    (
      await dashboard(fixture, "POST", "/sandbox/messages", {
        channel,
        from,
        name: "Ana Torres",
        text: "Hello 👋",
      })
    ).json.data;
  const message = await write("whatsapp", "+52 1 55 1234 5678");
  await write("web", "visitor-1");
  const on = (path: string) => fixture.sink.posts.filter((post) => post.path === path).map(eventOf);
  await eventually(() => {
    expect(on("/all")).toHaveLength(6);
    expect(on("/web")).toHaveLength(3);
  });

  const ofAna = on("/all").filter(({ data }) => data["channel"] === "whatsapp");
  const byType = Object.fromEntries(ofAna.map(({ event_type, data }) => [event_type, data]));
  expect(byType).toEqual({
    "contact.created": expect.objectContaining({
      contact_id: message.contact_id,
      conversation_id: message.conversation_id,
      name: "Ana Torres",
      phone: "5215512345678",
      whatsapp_id: "5215512345678",
      source: "conversation",
    }),
    "conversation.created": expect.objectContaining({
      conversation_id: message.conversation_id,
      contact_id: message.contact_id,
      status: "active",
      bot_enabled: true,
      source: "conversation",
    }),
    "message.received": expect.objectContaining({
      message_id: message.id,
      direction: "inbound",
      type: "text",
      content_preview: "Hello 👋",
      has_media: false,
      sent_by_bot: false,
      sender_type: "contact",
    }),
  });
  expect(new Set(on("/web").map(({ data }) => data["channel"]))).toEqual(new Set(["web_widget"]));
  const ordered = await dataSource.query<{ type: string }[]>(
    "SELECT e.type FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.subscription_id = ? AND e.contact_id = ? ORDER BY d.id",
    [all.id, message.contact_id],
  );
  expect(ordered.map(({ type }) => type)).toEqual([
    "contact.created",
    "conversation.created",
    "message.received",
  ]);
});
