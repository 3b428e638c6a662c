import { z } from "zod";
import { toWellFormed } from "./wire.ts";

/** Facts that a site tells of its visitor, such as the plan or the cart. Nobody has checked them. */
export type SiteContext = Record<string, string>;

const maxFacts = 20;
const maxKeyLength = 40;
const maxValueLength = 200;

const value = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((given) => toWellFormed(String(given).trim()))
  .pipe(z.string().max(maxValueLength, `Use at most ${maxValueLength} characters.`));

/** Up to 20 facts. Texts, numbers and booleans are kept as text. */
export const siteContext = z
  .record(
    z
      .string()
      .max(maxKeyLength)
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u, "Use letters, digits, spaces, _, . and -."),
    value,
  )
  .refine((given) => Object.keys(given).length <= maxFacts, `Give at most ${maxFacts} facts.`);
