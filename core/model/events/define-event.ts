import type { z } from "zod";
import type { TimelineFacts } from "../timeline.ts";

interface EventEntry<Schema extends z.ZodObject> {
  /** Occasion of the event, in one line for people. */
  summary: string;
  /** Strict schema of `data`; the order of its members is the order on the wire. */
  data: Schema;
  /** Facts that a timeline shows. Without a function: none. */
  facts?: (data: z.output<Schema>) => TimelineFacts;
  /** The `data` of one event, as a receiver would read it. */
  sample: z.output<Schema>;
}

/** One entry of the event catalogue. */
export function defineEvent<Schema extends z.ZodObject>(entry: EventEntry<Schema>) {
  const { facts = () => ({}) } = entry;
  // Rule C40.
  return { ...entry, facts, channelFiltered: "channel" in entry.data.shape };
}
