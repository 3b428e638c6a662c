import { hues, type Hue } from "../../../core/model/hue.ts";

export type { Hue };

/** The hue of a row without a chosen one. An id always gives the same hue. */
export function hueOf(id: number): Hue {
  // Neighbours in a list often have neighbouring ids, so the step spreads them.
  return hues[Math.abs(id * 5) % hues.length] ?? "slate";
}
