import { z } from "zod";
import { eventChannels, type EventChannel } from "./channels.ts";
import { eventPatterns, type EventPattern, type EventType } from "./event-types.ts";
import { eventCatalogue } from "./events.ts";
import { maxNameLength, toWellFormed } from "./wire.ts";

/**
 * Largest number of attempts at once toward one host that an installation may choose: half of the
 * first attempts that a worker makes at once. So a host that hangs leaves room for others.
 */
export const highestConcurrency = 300;

/** States of a subscription. The row of a deleted subscription stays for its delivery log. */
export const subscriptionStates = ["active", "paused", "disabled", "deleted"] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** A subscription fails after this many failed attempts in a row. One success ends the failure. */
export const failuresUntilFailing = 5;

const maxUrlLength = 2_048;

/**
 * Default name of a subscription: the host that it posts to. Text that is no URL is the name
 * itself.
 */
export function defaultName(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : "";
  return (host === "" ? url : host).slice(0, maxNameLength);
}

/** A URL without its path and query, which often hold a secret of the receiver. */
export function maskUrl(url: string): string {
  if (!URL.canParse(url)) return "…";
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? `${origin}/` : `${origin}/…`;
}

const eventPattern = z
  .string()
  .transform((text, ctx): EventPattern => {
    const known = eventPatterns.find((pattern) => pattern === text);
    if (known !== undefined) return known;
    ctx.addIssue({
      code: "custom",
      message: "Use `*`, a wildcard such as `message.*`, or an event type.",
      params: { code: "unknown_event_pattern" },
    });
    return z.NEVER;
  })
  .meta({ enum: [...eventPatterns] });

const channelInFilter = z
  .string()
  .transform((text, ctx): EventChannel => {
    const known = eventChannels.find((channel) => channel === text);
    if (known !== undefined) return known;
    const hint = text === "web" ? "Web chat is spelled `web_widget` here." : null;
    ctx.addIssue({
      code: "custom",
      message: hint ?? `Use one of ${eventChannels.join(", ")}.`,
      params: { code: "unknown_channel" },
    });
    return z.NEVER;
  })
  .meta({ enum: [...eventChannels] });

/** A list of at least one item. Duplicates are dropped. */
function nonEmptySet<T extends z.ZodType>(item: T, code: string, message: string) {
  return z
    .array(item)
    .superRefine((list, ctx) => {
      if (list.length === 0) ctx.addIssue({ code: "custom", message, params: { code } });
    })
    .overwrite((list) => [...new Set(list)])
    .meta({ minItems: 1 });
}

const fields = {
  name: z
    .string()
    .trim()
    .min(1, "Use 1 character or more.")
    .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
    .overwrite(toWellFormed),
  url: z
    .string()
    .min(1, "Give the URL to post events to.")
    .max(maxUrlLength, `Use at most ${maxUrlLength} characters.`),
  events: nonEmptySet(eventPattern, "empty_events", "Choose at least one event."),
  channels: nonEmptySet(
    channelInFilter,
    "empty_channels",
    "Name at least one channel, or send null for all of them.",
  )
    .nullable()
    .describe("Null: events of all channels."),
  auto_disable: z
    .boolean()
    .describe(
      "Disables the subscription after 410 on two events in a row, or after three days of failures alone. Off unless set.",
    ),
  max_concurrency: z
    .int("Use a whole number.")
    .min(1, "Use 1 or more.")
    .max(highestConcurrency, `Use at most ${highestConcurrency}.`)
    .nullable()
    .describe(
      "Most attempts at once from each worker, up to the installation's limit of a host. Null: that limit alone.",
    ),
};

/**
 * Body of a new subscription. Unknown names and empty lists are refused. `checkTarget` decides if
 * the URL may be a target.
 */
export const subscriptionCreateBody = z.strictObject({
  name: fields.name.optional(),
  url: fields.url,
  events: fields.events,
  channels: fields.channels.optional(),
  auto_disable: fields.auto_disable.optional(),
  max_concurrency: fields.max_concurrency.optional(),
});
export type SubscriptionCreateBody = z.output<typeof subscriptionCreateBody>;

/** Body of a change of a subscription: only the fields that are sent. */
export const subscriptionPatchBody = z.strictObject({
  name: fields.name.optional(),
  url: fields.url.optional(),
  events: fields.events.optional(),
  channels: fields.channels.optional(),
  auto_disable: fields.auto_disable.optional(),
  max_concurrency: fields.max_concurrency.optional(),
  state: z.enum(["active", "disabled"], "Use active or disabled.").optional(),
});
export type SubscriptionPatchBody = z.output<typeof subscriptionPatchBody>;

/** Selection of a subscription: event patterns, and channels or null for all channels. */
export interface Selection {
  events: readonly string[];
  channels: readonly EventChannel[] | null;
}

/**
 * The channel filter applies to events whose payload has `channel`. A null `channel` passes every
 * filter. Rules C39 and C40.
 * @returns true where the subscription selects the event.
 */
export function matchesSubscription(
  { events, channels }: Selection,
  event: { type: EventType; channel: string | null },
): boolean {
  if (!events.some((pattern) => matchesPattern(pattern, event.type))) return false;
  if (channels === null || event.channel === null) return true;
  if (!eventCatalogue[event.type].channelFiltered) return true;
  return channels.some((channel) => channel === event.channel);
}

const wildcards: ReadonlySet<string> = new Set(
  eventPatterns.filter((pattern) => pattern.endsWith(".*")),
);

function matchesPattern(pattern: string, type: EventType): boolean {
  if (pattern === "*" || pattern === type) return true;
  return wildcards.has(pattern) && type.startsWith(pattern.slice(0, -1));
}
