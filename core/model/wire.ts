import { z } from "zod";

/** An id of ours: a whole JSON number, 1 or more. */
export const recordId = z.int().min(1);

/** A moment in UTC to the millisecond: `2026-03-02T14:05:11.214Z`. Source: contract, Resources. */
export const timestamp = z.iso.datetime({ precision: 3 });

const earliestMoment = Date.UTC(2000, 0, 1);
const latestMoment = Date.UTC(2100, 0, 1);

/** A moment in a request, with its offset from UTC; between the years 2000 and 2100 (our choice). */
export const momentInput = z.iso
  .datetime({
    offset: true,
    error: "Use a moment with its offset, such as 2026-03-05T10:00:00-06:00.",
    abort: true,
  })
  .transform((text) => new Date(text))
  .refine(
    (moment) => moment.getTime() >= earliestMoment && moment.getTime() < latestMoment,
    "Use a moment between the years 2000 and 2100.",
  )
  .meta({ example: "2026-03-05T10:00:00-06:00" });

/** A query value holds text; anything but plain digits stays text and fails as a number. */
export function numberInQuery(schema: z.ZodType<number, number>) {
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/u.test(value) ? Number(value) : value),
    schema,
  );
}

const limitHint = "Use a whole number from 1 to 100.";
const offsetHint = "Use a whole number, 0 or more.";

/** Query parameters that every list takes: `limit` 1 to 100, 50 by default, and `offset`. Source: contract, Limits. */
export const pageParameters = {
  limit: numberInQuery(z.int(limitHint).min(1, limitHint).max(100, limitHint))
    .default(50)
    .describe("1 to 100, 50 by default."),
  offset: numberInQuery(z.int(offsetHint).min(0, offsetHint))
    .default(0)
    .describe(
      "Rows to pass over, 0 by default. An answer takes longer the more rows are passed over and counted: `total` is exact.",
    ),
};

/** A list of the Dashboard counts and pages this far; beyond it the total is "at least" (our choice). */
export const mostCounted = 10_000;

/** Query parameters of a list in the Dashboard: an `offset` beyond the count is refused. */
export const shownPageParameters = {
  limit: pageParameters.limit,
  offset: numberInQuery(
    z
      .int(offsetHint)
      .min(0, offsetHint)
      .max(mostCounted, `Use at most ${mostCounted}. Narrow the list to see more.`),
  ).default(0),
};

const maxSearchLength = 100;

/** Text that is looked for; an empty one is none. */
export const searchInQuery = z
  .string("Send this parameter once.")
  .trim()
  .max(maxSearchLength, `Use at most ${maxSearchLength} characters.`)
  .transform((text) => (text === "" ? undefined : text));

/** `true` or `false` in a query. */
export const flagInQuery = z
  .enum(["true", "false"], "Use true or false.")
  .transform((text) => text === "true");

/** A filter by an id of ours. */
export const idParameter = numberInQuery(recordId);

/** Query parameters of a log: it is paged by key, so that an old page costs no more than a new one. */
export const logParameters = {
  limit: pageParameters.limit,
  before_id: idParameter.optional().describe("Rows older than this one. The newest by default."),
};

/** `meta` of a list: the exact total for the filter, from the same snapshot as the rows. Source: contract. */
export const listMeta = z.strictObject({ total: z.int().min(0), limit: z.int(), offset: z.int() });

const atLeast = z.boolean().describe("There are more than were counted.");

/** `meta` of a list in the Dashboard, whose total is counted up to a cap. */
export const shownListMeta = listMeta.extend({ total_at_least: atLeast });

/** `meta` of a log. */
export const logMeta = z.strictObject({
  total: z.int().min(0),
  total_at_least: atLeast,
  limit: z.int(),
  next_before_id: z
    .int()
    .nullable()
    .describe("`before_id` of the next page. Null on the last one."),
});

/**
 * Text as UTF-8 can hold it: lone surrogates become U+FFFD. In Unicode mode a pair of surrogates reads
 * as one character, so only lone ones match.
 */
export function toWellFormed(text: string): string {
  return text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
}
