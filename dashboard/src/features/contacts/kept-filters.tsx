import { Button, CloseButton, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queryString } from "../../lib/api.ts";
import type { ContactFilter } from "../../lib/contact.ts";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";
import { keptFiltersQuery, useForgetFilter, type KeptFilter } from "./filters-api.ts";
import { KeepFilter } from "./keep-filter.tsx";

interface KeptFiltersProps {
  filter: ContactFilter;
  onApply: (filter: ContactFilter) => void;
}

/** Buttons for the saved filters, and a button that saves the present filter. */
export function KeptFilters({ filter, onApply }: KeptFiltersProps) {
  const { t } = useTranslation();
  const kept = useQuery(keptFiltersQuery).data ?? [];
  const set = Object.keys(filter).length > 0;
  const known = kept.some((one) => isSame(one, filter));
  const place = useFocusAfterRow<HTMLDivElement>(kept.length);
  if (kept.length === 0 && !set) return null;
  return (
    <Group ref={place} tabIndex={-1} gap="xs" role="group" aria-label={t("contacts.filters")}>
      {kept.map((one) => (
        <KeptFilterButton
          key={one.name}
          kept={one}
          active={isSame(one, filter)}
          onApply={onApply}
        />
      ))}
      {set && !known && <KeepFilter filter={filter} />}
    </Group>
  );
}

interface KeptFilterButtonProps {
  kept: KeptFilter;
  active: boolean;
  onApply: (filter: ContactFilter) => void;
}

/** Button for a saved filter. A click on the active filter removes it. */
function KeptFilterButton({ kept, active, onApply }: KeptFilterButtonProps) {
  const { t } = useTranslation();
  const forget = useForgetFilter();
  const { name, ...filter } = kept;
  return (
    <Group gap={2} wrap="nowrap" maw="100%">
      <Button
        size="xs"
        variant={active ? "light" : "default"}
        aria-pressed={active}
        dir="auto"
        miw={0}
        onClick={() => onApply(active ? {} : plain(filter))}
      >
        {name}
      </Button>
      <CloseButton
        size="sm"
        aria-label={t("contacts.forget_filter", { name })}
        {...softDisabledButton(forget.isPending, () => forget.mutate(name))}
      />
    </Group>
  );
}

function isSame(one: KeptCondition, other: KeptCondition): boolean {
  return queryString({ ...plain(one) }) === queryString({ ...plain(other) });
}

type KeptCondition = Partial<Omit<KeptFilter, "name">>;

/** The filter without undefined members, always in the same order. */
function plain({ search, tag, stage_id, channel, assigned_to }: KeptCondition): ContactFilter {
  return {
    ...(search === undefined ? {} : { search }),
    ...(tag === undefined ? {} : { tag }),
    ...(stage_id === undefined ? {} : { stage_id }),
    ...(channel === undefined ? {} : { channel }),
    ...(assigned_to === undefined ? {} : { assigned_to }),
  };
}
