import { z } from "zod";
import { eventTypes, type EventType } from "./event-types.ts";
import { appointmentEvents } from "./events/appointment-events.ts";
import { contactEvents } from "./events/contact-events.ts";
import { conversationEvents } from "./events/conversation-events.ts";
import { messageEvents } from "./events/message-events.ts";
import { testEvents } from "./events/test-events.ts";
import type { TimelineFacts } from "./timeline.ts";
import { timestamp, toWellFormed } from "./wire.ts";

const entries = {
  ...messageEvents,
  ...conversationEvents,
  ...contactEvents,
  ...appointmentEvents,
  ...testEvents,
};

type Schemas = { [T in EventType]: (typeof entries)[T]["data"] };

/** The `data` of an event. */
export type EventData<T extends EventType = EventType> = {
  [Type in EventType]: z.output<Schemas[Type]>;
}[T];

/** Definition of an event type. */
export interface EventDefinition<T extends EventType> {
  /** Occasion of the event, in one line for people. */
  summary: string;
  /** True where the payload has `channel`, so that channel filters apply. Rule C40. */
  channelFiltered: boolean;
  /** Strict schema of `data`; the order of its members is the order on the wire. */
  data: Schemas[T];
  /** Facts that a timeline shows. */
  facts: (data: EventData<T>) => TimelineFacts;
  sample: EventData<T>;
}

/** The event catalogue. Schemas, filter rule, facts, samples and documentation come from here. */
export const eventCatalogue: { readonly [T in EventType]: EventDefinition<T> } = entries;

/** Body of every delivery. The shape of `data` depends on the type. Rule C36. */
export const eventEnvelope = z.strictObject({
  event_id: z.uuid(),
  event_type: z.enum(eventTypes),
  occurred_at: timestamp,
  data: z.record(z.string(), z.unknown()),
});

/** An event of one type, before it is serialised. */
export interface EventEnvelope<T extends EventType = EventType> {
  event_id: string;
  event_type: T;
  occurred_at: string;
  data: EventData<T>;
}

/** The sample of a type as an event, for the API's document and for the Dashboard. */
export function sampleEvent(type: EventType): EventEnvelope {
  return {
    event_id: "019a9d4e-7c1b-7f32-9a41-5be0c7d1f001",
    event_type: type,
    occurred_at: "2026-03-02T14:05:11.214Z",
    data: eventCatalogue[type].sample,
  };
}

/**
 * The JSON text that is stored, signed and sent. Members of the envelope stand in the order of
 * `eventEnvelope`, and members of `data` in the order of the catalogue. Lone surrogates are
 * replaced, so that the text is valid UTF-8.
 * @throws ZodError if the envelope or its data do not fit the catalogue: our bug.
 */
export function serializeEvent<T extends EventType>(event: EventEnvelope<T>): string {
  const { event_id, event_type, occurred_at } = eventEnvelope.parse(event);
  const data = eventCatalogue[event_type].data.parse(event.data);
  return JSON.stringify({ event_id, event_type, occurred_at, data }, (_key, value: unknown) =>
    typeof value === "string" ? toWellFormed(value) : value,
  );
}

/** Facts of an event for a timeline. */
export function timelineFactsOf<T extends EventType>({
  event_type,
  data,
}: Pick<EventEnvelope<T>, "event_type" | "data">): TimelineFacts {
  // During an upgrade a newer process may have published a type that this one does not know.
  const entry: EventDefinition<T> | undefined = eventCatalogue[event_type];
  return entry?.facts(data) ?? {};
}
