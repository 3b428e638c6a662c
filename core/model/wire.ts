import { z } from "zod";

/** An id of ours: a whole JSON number, 1 or more. */
export const recordId = z.int().min(1);

/** A moment in UTC to the millisecond: `2026-03-02T14:05:11.214Z`. Rule C1. */
export const timestamp = z.iso.datetime({ precision: 3 });

const earliestMoment = Date.UTC(2000, 0, 1);
const latestMoment = Date.UTC(2100, 0, 1);

/** A moment in a request, with its offset from UTC. It lies between the years 2000 and 2100. */
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

/** Reads a number from plain digits. Any other text of a query stays text and fails as a number. */
export function numberInQuery(schema: z.ZodType<number, number>) {
  return z.preprocess(
    (value: number | string) =>
      typeof value === "string" && /^\d{1,15}$/u.test(value) ? Number(value) : value,
    schema,
  );
}

const limitHint = "Use a whole number from 1 to 100.";
const offsetHint = "Use a whole number, 0 or more.";

/** Query parameters of every list: `limit` 1 to 100, 50 by default, and `offset`. Rule C13. */
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

/**
 * Limit of counts and offsets in the lists of the Dashboard. Beyond this limit the total is "at
 * least".
 */
export const mostCounted = 10_000;

/** Query parameters of a list in the Dashboard. An `offset` over `mostCounted` is refused. */
export const shownPageParameters = {
  limit: pageParameters.limit,
  offset: numberInQuery(
    z
      .int(offsetHint)
      .min(0, offsetHint)
      .max(mostCounted, `Use at most ${mostCounted}. Narrow the list to see more.`),
  ).default(0),
};

/** Maximum length of a search: that of an email address, so that a search takes a whole one. */
export const maxSearchLength = 254;

/** Text of a search, trimmed. An empty text reads like an absent parameter. */
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

/**
 * Query parameters of a log. A log is paged by key, so that an old page costs no more than a new
 * page.
 */
export const logParameters = {
  limit: pageParameters.limit,
  before_id: idParameter.optional().describe("Rows older than this one. The newest by default."),
};

/** `next` of the page before. @param parse reads a cursor; null: the text is none */
export function cursorInQuery<Cursor>(parse: (text: string) => Cursor | null) {
  return z.string("Send this parameter once.").transform((text, context) => {
    const cursor = parse(text);
    if (cursor !== null) return cursor;
    context.addIssue({ code: "custom", message: "Use `next` of the page before." });
    return z.NEVER;
  });
}

/** Maximum number of characters in the name of a contact, subscription, pipeline and the like. */
export const maxNameLength = 200;

/**
 * Text that UTF-8 can hold: lone surrogates become U+FFFD. In Unicode mode a pair of surrogates
 * reads as one character, so the pattern matches lone surrogates alone.
 */
export function toWellFormed(text: string): string {
  return text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
}
