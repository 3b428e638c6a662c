import type { TFunction } from "i18next";
import type { ListMeta } from "./api.ts";

/** A total as people read it: "1234", or "10,000+" where the count stopped early. */
export function countWords(
  t: TFunction,
  { total, total_at_least: atLeast }: Pick<ListMeta, "total" | "total_at_least">,
): string {
  return atLeast ? t("common.at_least", { total }) : String(total);
}
