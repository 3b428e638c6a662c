import type { z } from "zod";
import type { logMeta, shownListMeta } from "../../core/model/wire.ts";
import type { Count } from "../../core/services/sql.ts";

/** The `meta` of a page of a log. */
export function metaOf(
  { total, totalAtLeast, nextBeforeId }: Count & { nextBeforeId: number | null },
  limit: number,
): z.output<typeof logMeta> {
  return { total, total_at_least: totalAtLeast, limit, next_before_id: nextBeforeId };
}

/** The `meta` of a page of a list whose total has a cap. */
export function shownMetaOf(
  { total, totalAtLeast }: Count,
  { limit, offset }: { limit: number; offset: number },
): z.output<typeof shownListMeta> {
  return { total, total_at_least: totalAtLeast, limit, offset };
}
