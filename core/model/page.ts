import { z } from "zod";

/** One page of a list, as services return it. */
export interface Page<Row> {
  rows: Row[];
  total: number;
  /** More rows exist than were counted. */
  totalAtLeast: boolean;
}

/** One page of a log. A log is paged by key, so an old page costs no more than a new page. */
export interface LogPage<Row, Key = number> extends Page<Row> {
  /** Key of the next page; null on the last page. */
  next: Key | null;
}

/** Part of a list to read. */
export interface PageBounds {
  limit: number;
  offset: number;
}

/** Part of a log to read: rows older than `before_id`, or the newest rows. */
export interface LogBounds {
  limit: number;
  before_id?: number | undefined;
}

/**
 * `meta` of a list of API v1. The total is exact for the filter, and from the same snapshot as the
 * rows. Rules C11 and C13.
 */
export const listMeta = z.strictObject({ total: z.int().min(0), limit: z.int(), offset: z.int() });

const counted = {
  total: z.int().min(0),
  total_at_least: z.boolean().describe("There are more than were counted."),
  limit: z.int(),
};

/** `meta` of a list of the Dashboard API. */
export const pageMeta = z.strictObject({ ...counted, offset: z.int() });

/** `meta` of a log of the Dashboard API, which is paged by the id of a row. */
export const logMeta = z.strictObject({
  ...counted,
  next: z.int().nullable().describe("`before_id` of the next page; null on the last page."),
});

/** `meta` of a column of the board. The totals of a pipeline count its columns. */
export const cardListMeta = z.strictObject({
  limit: z.int(),
  next: z.string().nullable().describe("`cursor` of the next page; null on the last page."),
});
