import { z } from "zod";
import { eventChannels, type EventChannel } from "./channels.ts";
import { eventCatalogue, eventPatterns, type EventPattern, type EventType } from "./events.ts";
import { toWellFormed } from "./wire.ts";

/** States of a subscription. A deleted one stays for its delivery log. Our choice. */
export const subscriptionStates = ["active", "paused", "disabled", "deleted"] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** Characters of a subscription's name. Our choice. */
export const maxNameLength = 200;
const maxUrlLength = 2_048;

/** What a subscription is called unless somebody names it: the host that it posts to. Our choice. */
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

/** A list that must name something; naming it twice is naming it once. */
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
};

/**
 * What makes a subscription. Whether the URL may be a target is judged elsewhere. Source: contract,
 * Webhook subscription; unknown names and empty lists are refused (our choice).
 */
export const subscriptionCreateBody = z.strictObject({
  name: fields.name.optional(),
  url: fields.url,
  events: fields.events,
  channels: fields.channels.optional(),
  auto_disable: fields.auto_disable.optional(),
});
export type SubscriptionCreateBody = z.output<typeof subscriptionCreateBody>;

/** What changes a subscription: only the fields sent. */
export const subscriptionPatchBody = z.strictObject({
  name: fields.name.optional(),
  url: fields.url.optional(),
  events: fields.events.optional(),
  channels: fields.channels.optional(),
  auto_disable: fields.auto_disable.optional(),
  state: z.enum(["active", "disabled"], "Use active or disabled.").optional(),
});
export type SubscriptionPatchBody = z.output<typeof subscriptionPatchBody>;

/** What a subscription selects: patterns, and channels or null for all. */
export interface Selection {
  events: readonly string[];
  channels: readonly EventChannel[] | null;
}

/**
 * Whether a subscription wants an event. The channel filter applies to events whose payload carries
 * `channel`, and a null there passes every filter. Source: contract, Channel filter; null is our choice.
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
