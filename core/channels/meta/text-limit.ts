import type { MetaDriver } from "../../model/channels.ts";

/** Longest text of a network. `unit` is the unit in which the network counts. */
export interface TextLimit {
  max: number;
  unit: "characters" | "bytes";
}

export const textLimits = {
  whatsapp_cloud: { max: 4_096, unit: "characters" },
  messenger: { max: 2_000, unit: "characters" },
  instagram_page: { max: 1_000, unit: "bytes" },
  instagram_login: { max: 1_000, unit: "bytes" },
} as const satisfies Record<MetaDriver, TextLimit>;

/**
 * The limit that a text exceeds, since a text is refused and never cut.
 * @returns null if the network takes the text
 */
export function findExceededLimit(driver: MetaDriver, text: string): TextLimit | null {
  const limit = textLimits[driver];
  const length = limit.unit === "bytes" ? Buffer.byteLength(text, "utf8") : text.length;
  return length > limit.max ? limit : null;
}
