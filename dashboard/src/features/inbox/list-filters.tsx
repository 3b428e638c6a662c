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

/** What narrows the list: a view, a search, a channel. */
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
          onChange={(view) => change({ view })}
          data={views.map((value) => ({ value, label: t(`inbox.views.${value}`) }))}
        />
      </ScrollArea>
      <Group gap="xs" wrap="nowrap">
        <SearchInput
          size="xs"
          label={t("inbox.search")}
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
