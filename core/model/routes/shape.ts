import { z } from "zod";
import { logMeta, pageMeta } from "../page.ts";
import { recordId } from "../wire.ts";

/** Zod's own base type. To compare a schema with `z.ZodType` takes the compiler far longer. */
type Schema = z.core.$ZodType;

/**
 * Wire shape of a route of the Dashboard API. Its name is its method and its path below
 * `/dashboard/api`. `:id` is its parameter. A second one ends in `Id`, as `:macroId` does.
 */
export interface RouteShape {
  query?: Schema;
  body?: Schema;
  /** `data` of each success, by status. */
  answers: Record<number, Schema>;
  /** `meta` of a list. */
  meta?: Schema;
}

/** Allowed HTTP methods. */
export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Shapes of several routes. */
export type RouteShapes = Record<`${Method} /${string}`, RouteShape>;

/** Answer of a deletion, and of a change that returns nothing else: the id of the row. */
export const idView = z.strictObject({ id: recordId });

/** Answers of a list that is paged by offset. */
export function pageOf<Row extends Schema>(row: Row) {
  return { answers: { 200: z.array(row) }, meta: pageMeta };
}

/** Answers of a list that is paged by the id of a row. */
export function logOf<Row extends Schema>(row: Row) {
  return { answers: { 200: z.array(row) }, meta: logMeta };
}
