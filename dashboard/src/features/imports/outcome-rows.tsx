import { Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { commitOutcomes, undoOutcomes } from "../../../../core/model/import.ts";
import { useUrlFilters } from "../../lib/url-filters.ts";
import type { Import, RowFilter } from "./api.ts";
import { CountTabs, ReasonSelect } from "./row-filters.tsx";
import { RowList } from "./row-list.tsx";

/** Filters of the rows: those that differ from their plan, or those with one outcome. */
const filters = ["differs", ...commitOutcomes, ...undoOutcomes] as const;
type OutcomeFilter = (typeof filters)[number];

/** The rows of an import that is over, by outcome and reason. The URL keeps both. */
export function OutcomeRows({ one }: { one: Import }) {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const asked = filters.find((value) => value === params.get("outcome")) ?? null;
  const options = filters
    .map((value) => ({
      value,
      label: t(`imports.done.states.${value}`),
      count: countOf(one, value),
    }))
    .filter(({ count, value }) => count > 0 || value === asked);
  const reasons = one.reasons.filter(
    ({ state }) => state !== null && (asked === null || asked === "differs" || state === asked),
  );
  const reason = reasons.find((group) => group.reason === params.get("reason"))?.reason ?? null;
  const narrowed = asked !== null || reason !== null;
  return (
    <Stack gap="sm">
      <CountTabs<OutcomeFilter>
        label={t("imports.check.filters")}
        value={asked}
        onChange={(value) => set("outcome", value, { replace: true })}
        options={[
          { value: null, label: t("imports.check.plan.all"), count: one.counts.rows },
          ...options,
        ]}
      />
      <ReasonSelect
        reasons={reasons}
        value={reason}
        onChange={(value) => set("reason", value, { replace: true })}
      />
      <RowList
        one={one}
        filter={{ ...filterOf(asked), ...(reason === null ? {} : { reason }) }}
        version={`outcome ${one.state} ${one.updated_at}`}
        label={t("imports.check.list")}
        empty={t(narrowed ? "imports.check.no_rows" : "imports.done.gone")}
      />
    </Stack>
  );
}

function filterOf(asked: OutcomeFilter | null): RowFilter {
  if (asked === null) return {};
  return asked === "differs" ? { differs: "true" } : { state: asked };
}

/** Rows with an outcome. An undo has turned the created and updated ones into undone or kept. */
function countOf({ state, counts, differing }: Import, filter: OutcomeFilter): number {
  const { done } = counts;
  if (filter === "differs") return differing;
  if (filter === "conflict") return done.conflicts;
  if (state === "undone" && (filter === "created" || filter === "updated")) return 0;
  return done[filter];
}
