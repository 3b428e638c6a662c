import { Button, Popover, Select, Stack, type SelectProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter, IconTag } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { restChannels } from "../../../../core/model/channels.ts";
import { maxSearchLength } from "../../../../core/model/wire.ts";
import { SearchInput } from "../../components/search-input.tsx";
import type { ContactFilter } from "../../lib/contact.ts";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import { useTeam } from "../../lib/team.ts";
import styles from "./contacts.module.css";
import { DuplicatesNote } from "./duplicates-note.tsx";
import { KeptFilters } from "./kept-filters.tsx";

/** The filter in a URL. Values that no list could have are left out. */
export function filterIn(params: URLSearchParams): ContactFilter {
  const text = (name: string, length: number) => (params.get(name) ?? "").slice(0, length).trim();
  const search = text("search", maxSearchLength);
  const tag = text("tag", 50);
  const stage = idOf(params.get("stage_id"));
  const channel = restChannels.find((one) => one === params.get("channel"));
  const assignee = params.get("assigned_to");
  const person = assignee === "me" || assignee === "nobody" ? assignee : idOf(assignee);
  return {
    ...(search === "" ? {} : { search }),
    ...(tag === "" ? {} : { tag }),
    ...(stage === null ? {} : { stage_id: stage }),
    ...(channel === undefined ? {} : { channel }),
    ...(person === null ? {} : { assigned_to: person }),
  };
}

function idOf(text: string | null): number | null {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

interface ContactFiltersProps {
  filter: ContactFilter;
  onSet: (name: string, value: string) => void;
  onApply: (filter: ContactFilter) => void;
}

/** Toolbar of the list: search, filters, saved filters and possible duplicates. */
export function ContactFilters({ filter, onSet, onApply }: ContactFiltersProps) {
  const { t } = useTranslation();
  return (
    <div className={styles["toolbar"]}>
      <div className={styles["search"]}>
        <SearchInput
          label={t("inbox.search")}
          placeholder={t("contacts.search")}
          value={filter.search ?? ""}
          onChange={(value) => onSet("search", value)}
        />
      </div>
      <FilterButton filter={filter} onSet={onSet} />
      <KeptFilters filter={filter} onApply={onApply} />
      <DuplicatesNote />
    </div>
  );
}

function FilterButton({ filter, onSet }: Omit<ContactFiltersProps, "onApply">) {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure(false);
  const { search: _, ...narrowing } = filter;
  const count = Object.keys(narrowing).length;
  return (
    <Popover opened={opened} onChange={close} trapFocus returnFocus position="bottom-start">
      <Popover.Target>
        <Button
          variant={count === 0 ? "default" : "light"}
          leftSection={<IconFilter size={14} aria-hidden />}
          onClick={toggle}
        >
          {count === 0 ? t("contacts.filter") : t("contacts.filter_count", { count })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("contacts.filter")}>
        <FilterFields filter={filter} onSet={onSet} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Field of a filter. Its list stays within the popover, so that a choice does not close it. */
function FilterSelect(props: SelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      clearable
      placeholder={t("contacts.any")}
      nothingFoundMessage={t("palette.nothing")}
      comboboxProps={{ withinPortal: false }}
      {...props}
    />
  );
}

function FilterFields({ filter, onSet }: Omit<ContactFiltersProps, "onApply">) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  const team = useTeam().map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <Stack gap="sm" w={280}>
      {/* First, as a list that opens by itself would cover the others. */}
      <SearchInput
        label={t("contacts.tag")}
        placeholder={t("contacts.tag")}
        icon={IconTag}
        maxLength={50}
        value={filter.tag ?? ""}
        onChange={(value) => onSet("tag", value)}
      />
      <FilterSelect
        searchable
        label={t("contacts.stage")}
        value={filter.stage_id === undefined ? null : String(filter.stage_id)}
        onChange={(value) => onSet("stage_id", value ?? "")}
        data={stageOptions(pipelines)}
      />
      <FilterSelect
        searchable
        label={t("contacts.assignee")}
        value={filter.assigned_to === undefined ? null : String(filter.assigned_to)}
        onChange={(value) => onSet("assigned_to", value ?? "")}
        data={[
          { value: "me", label: t("contacts.me") },
          { value: "nobody", label: t("inbox.nobody") },
          ...team,
        ]}
      />
      <FilterSelect
        label={t("inbox.channel")}
        value={filter.channel ?? null}
        onChange={(value) => onSet("channel", value ?? "")}
        data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
      />
    </Stack>
  );
}
