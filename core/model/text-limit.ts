import type { RestChannel } from "./channels.ts";

/** Longest text of a network. `unit` is the unit in which the network counts. */
export interface TextLimit {
  max: number;
  unit: "characters" | "bytes";
}

/** Limits of the networks. Instagram takes less than 1,000 bytes. */
export const textLimits: Readonly<Record<RestChannel, TextLimit>> = {
  whatsapp: { max: 4_096, unit: "characters" },
  facebook: { max: 2_000, unit: "characters" },
  instagram: { max: 999, unit: "bytes" },
  web: { max: 4_000, unit: "characters" },
};

/** Length of a text in the unit of the network. */
export function textLength(channel: RestChannel, text: string): number {
  return textLimits[channel].unit === "bytes" ? new TextEncoder().encode(text).length : text.length;
}

/**
 * The limit that a text exceeds, since a text is refused and never cut.
 * @returns null if the network takes the text
 */
export function findExceededLimit(channel: RestChannel, text: string): TextLimit | null {
  const limit = textLimits[channel];
  return textLength(channel, text) > limit.max ? limit : null;
}
