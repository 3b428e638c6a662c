/** The hues that a person, a stage, a service or a tag can have; `global.css` gives their colours. */
export const hues = ["indigo", "sky", "teal", "moss", "amber", "clay", "rose", "plum"] as const;

/** A hue, or slate where nobody chose one. */
export type Hue = (typeof hues)[number] | "slate";

/** The hue of a row without a chosen one. An id always gives the same hue. */
export function hueOf(id: number): Hue {
  // Neighbours in a list often have neighbouring ids, so the step spreads them.
  return hues[Math.abs(id * 5) % hues.length] ?? "slate";
}
