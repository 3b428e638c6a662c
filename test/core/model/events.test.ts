import { expect, expectTypeOf, test } from "vitest";
import type { ContactDiff } from "../../../core/model/contact.ts";
import { eventPatterns, eventTypes, type EventType } from "../../../core/model/event-types.ts";
import {
  eventCatalogue,
  eventEnvelope,
  serializeEvent,
  type EventData,
} from "../../../core/model/events.ts";

const eventId = "019caee1-5b7e-7c41-9d3a-2f6b80c4e117";
const occurredAt = "2026-03-02T14:05:11.214Z";

const message =
  "message_id conversation_id contact_id direction channel type content_preview has_media sent_by_bot created_at" +
  " sender_type sender_user_id api_key_id external_id";
const state =
  "conversation_id contact_id status previous_status bot_enabled assigned_to_user_id source actor_user_id api_key_id";
const contact =
  "contact_id name phone email channel instagram_id facebook_id tags created_at updated_at source conversation_id" +
  " whatsapp_id";
const appointment =
  "appointment_id status title start_time end_time duration_minutes resource_id resource_name service_id service_name" +
  " contact_id conversation_id customer_name customer_phone source google_event_id replaced_by_appointment_id";

/** Written from the contract and our additions, by hand. */
const members: Record<EventType, string> = {
  "message.received": message,
  "message.sent": message,
  "conversation.created":
    "conversation_id contact_id channel status bot_enabled assigned_to_user_id source created_at",
  "conversation.updated": `${state} updated_at`,
  "conversation.closed": `${state} closed_at`,
  "conversation.bot.enabled": `${state} changed_at`,
  "conversation.bot.disabled": `${state} changed_at reason cancelled_message_ids`,
  "conversation.stage_changed":
    "conversation_id contact_id channel pipeline_id pipeline_name stage_id stage_name previous_stage_id previous_stage_name source actor_user_id",
  "contact.created": contact,
  "contact.updated": `${contact} changed_fields previous_values`,
  "appointment.created": appointment,
  "appointment.rescheduled": `${appointment} previous_start_time previous_end_time previous_resource_id`,
  "appointment.cancelled": appointment,
  "test.ping": "message subscription_id triggered_by_user_id",
};

/** Members that may be null, by hand from the contract and the deviations we state. */
const nullable: Record<EventType, string> = {
  "message.received": "sender_user_id api_key_id external_id",
  "message.sent": "sender_user_id api_key_id external_id",
  "conversation.created": "assigned_to_user_id",
  "conversation.updated": "assigned_to_user_id actor_user_id api_key_id",
  "conversation.closed": "assigned_to_user_id actor_user_id api_key_id",
  "conversation.bot.enabled": "assigned_to_user_id actor_user_id api_key_id",
  "conversation.bot.disabled": "assigned_to_user_id actor_user_id api_key_id reason",
  "conversation.stage_changed": "previous_stage_id previous_stage_name actor_user_id",
  "contact.created": "phone email channel instagram_id facebook_id conversation_id whatsapp_id",
  "contact.updated": "phone email channel instagram_id facebook_id conversation_id whatsapp_id",
  "appointment.created":
    "service_id service_name conversation_id customer_phone source google_event_id replaced_by_appointment_id",
  "appointment.rescheduled":
    "service_id service_name conversation_id customer_phone source google_event_id replaced_by_appointment_id",
  "appointment.cancelled":
    "service_id service_name conversation_id customer_phone source google_event_id replaced_by_appointment_id",
  "test.ping": "",
};

test("the catalogue holds the contract's types, and patterns add all and four families", () => {
  expect(eventTypes).toEqual(Object.keys(members));
  expect(Object.keys(eventCatalogue)).toEqual([...eventTypes]);
  expect(eventPatterns).toEqual([
    "*",
    "message.*",
    "conversation.*",
    "contact.*",
    "appointment.*",
    ...eventTypes,
  ]);
});

test("the channel filter applies to the types the contract names, which are those with a channel", () => {
  const filtered = eventTypes.filter((type) => eventCatalogue[type].channelFiltered);
  expect(filtered).toEqual([
    "message.received",
    "message.sent",
    "conversation.created",
    "conversation.stage_changed",
    "contact.created",
    "contact.updated",
  ]);
  for (const type of eventTypes) {
    expect("channel" in eventCatalogue[type].sample).toBe(filtered.includes(type));
  }
});

test("every event but a test names its contact, so that a timeline shows it and an erasure finds it", () => {
  const nameless = eventTypes.filter((type) => !("contact_id" in eventCatalogue[type].sample));
  expect(nameless).toEqual(["test.ping"]);
});

test.each(eventTypes)("%s has a one-line summary and a sample that fits its schema", (type) => {
  const { summary, data, sample } = eventCatalogue[type];
  expect(summary).toMatch(/^[A-Z][^\n]+\.$/);
  expect(data.parse(sample)).toEqual(sample);
});

test.each(eventTypes)(
  "%s carries exactly its members, in order, however data was put together",
  (type) => {
    const shuffled = Object.fromEntries(Object.entries(eventCatalogue[type].sample).toReversed());
    const text = serializeEvent({
      event_type: type,
      data: shuffled as unknown as EventData,
      occurred_at: occurredAt,
      event_id: eventId,
    });
    const envelope = JSON.parse(text) as { data: object };
    expect(Object.keys(envelope)).toEqual(["event_id", "event_type", "occurred_at", "data"]);
    expect(Object.keys(envelope.data)).toEqual(members[type].split(" "));
    expect(envelope).toEqual({
      event_id: eventId,
      event_type: type,
      occurred_at: occurredAt,
      data: eventCatalogue[type].sample,
    });
    expect(eventEnvelope.safeParse(envelope).success).toBe(true);
  },
);

test.each(eventTypes)("%s takes null only where that is stated", (type) => {
  const { data, sample } = eventCatalogue[type];
  const nulls = members[type]
    .split(" ")
    .filter((member) => data.safeParse({ ...sample, [member]: null }).success);
  expect(nulls.join(" ")).toBe(nullable[type]);
});

test.each(eventTypes)(
  "%s with a member missing, unknown or of another type is not serialised",
  (type) => {
    const { sample } = eventCatalogue[type];
    const serialize = (data: unknown) => () =>
      serializeEvent({
        event_id: eventId,
        event_type: type,
        occurred_at: occurredAt,
        data: data as EventData,
      });
    expect(serialize({ ...sample, extra: 1 })).toThrow(/extra/);
    for (const member of members[type].split(" ")) {
      const without = Object.fromEntries(Object.entries(sample).filter(([key]) => key !== member));
      expect(serialize(without)).toThrow(new RegExp(member));
      expect(serialize({ ...sample, [member]: { odd: true } })).toThrow(new RegExp(member));
    }
  },
);

test.each([
  "2026-03-02T14:05:11Z",
  "2026-03-02T14:05:11.2145Z",
  "2026-03-02T14:05:11.214+00:00",
  "2026-02-30T14:05:11.214Z",
])("an event at %s is not serialised: moments are UTC to the millisecond", (moment) => {
  const data = eventCatalogue["test.ping"].sample;
  const serialize = (occurred_at: string) => () =>
    serializeEvent({ event_id: eventId, event_type: "test.ping", occurred_at, data });
  expect(serialize(moment)).toThrow(/occurred_at/);
  expect(serialize(occurredAt)).not.toThrow();
});

test("lone surrogates are replaced, while pairs, accents and line separators stay as they are", () => {
  const text = serializeEvent({
    event_id: eventId,
    event_type: "contact.updated",
    occurred_at: occurredAt,
    data: {
      ...eventCatalogue["contact.updated"].sample,
      name: "a\uD83Db\uDC4Dc\uD83D\uDC4D é\u2028 \uDC4D\uD83D",
      tags: ["\uD800"],
      previous_values: { tags: ["\uDFFF\uD83D\uDC4D"] },
    },
  });
  const { data } = JSON.parse(text) as { data: EventData<"contact.updated"> };
  expect(data.name).toBe("a\uFFFDb\uFFFDc👍 é\u2028 \uFFFD\uFFFD");
  expect(data.tags).toEqual(["\uFFFD"]);
  expect(data.previous_values).toEqual({ tags: ["\uFFFD👍"] });
  expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
  expect(text).not.toMatch(/\\u/);
});

test("previous_values keeps the catalogue's order and holds the changed members only", () => {
  const text = serializeEvent({
    event_id: eventId,
    event_type: "contact.updated",
    occurred_at: occurredAt,
    data: {
      ...eventCatalogue["contact.updated"].sample,
      changed_fields: ["email", "name", "tags"],
      previous_values: { tags: [], name: null, email: "a@example.com" },
    },
  });
  expect(text).toContain('"previous_values":{"email":"a@example.com","name":null,"tags":[]}}}');
});

test("data is typed by its event type, and a contact's diff fits into contact.updated", () => {
  expectTypeOf<EventData<"test.ping">>().toEqualTypeOf<{
    message: string;
    subscription_id: number;
    triggered_by_user_id: number;
  }>();
  expectTypeOf<ContactDiff>().toExtend<
    Pick<EventData<"contact.updated">, "changed_fields" | "previous_values">
  >();
});
