import { Group, ScrollArea, SegmentedControl, Select, Stack } from "@mantine/core";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { restChannels } from "../../../../core/model/channels.ts";
import { SearchInput } from "../../components/search-input.tsx";
import { views, type ListState } from "./list-state.ts";

interface ListFiltersProps {
  state: ListState;
  change: (next: Partial<ListState>) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

/** Filters of the list: view, search and channel. */
export function ListFilters({ state, change, searchRef }: ListFiltersProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" px="md" py="sm">
      <ScrollArea type="never" viewportProps={{ tabIndex: -1 }}>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={t("inbox.view")}
          value={state.view}
          onChange={(view) => change({ view, answered: null })}
          data={views.map((value) => ({ value, label: t(`inbox.views.${value}`) }))}
        />
      </ScrollArea>
      {state.view === "handed_off" && <AnsweredFilter state={state} change={change} />}
      <Group gap="xs" wrap="nowrap">
        <SearchInput
          size="xs"
          label={t("inbox.search_all")}
          value={state.search}
          onChange={(search) => change({ search })}
          inputRef={searchRef}
        />
        <Select
          size="xs"
          w={120}
          clearable
          placeholder={t("inbox.any_channel")}
          aria-label={t("inbox.channel")}
          value={state.channel}
          onChange={(channel) =>
            change({ channel: restChannels.find((one) => one === channel) ?? null })
          }
          data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
        />
      </Group>
    </Stack>
  );
}

const both = "both";

/** Filter of handed-off conversations: all, waiting for a person, or answered. */
function AnsweredFilter({ state, change }: Pick<ListFiltersProps, "state" | "change">) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t("inbox.answers.title")}
      value={state.answered ?? both}
      onChange={(chosen) => change({ answered: chosen === both ? null : chosen })}
      data={[
        { value: both, label: t("inbox.answers.both") },
        { value: "false", label: t("inbox.answers.waiting") },
        { value: "true", label: t("inbox.answers.answered") },
      ]}
    />
  );
}
