import { z } from "zod";

/** Hues that a person can choose for a row, such as a service. The theme has their colours. */
export const hues = ["indigo", "sky", "teal", "moss", "amber", "clay", "rose", "plum"] as const;

/** A hue, or slate where nobody chose one. */
export type Hue = (typeof hues)[number] | "slate";

/** All hues, in the order in which a form shows them. */
export const allHues = ["slate", ...hues] as const satisfies readonly Hue[];

/** A hue in a body. */
export const hueInput = z.enum(allHues, `Use one of ${allHues.join(", ")}.`);
