import {
  CloseButton,
  Group,
  ScrollArea,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { restChannels } from "../../../../core/model/channels.ts";
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

interface SearchInputProps {
  value: string;
  onChange: (value: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** Searches when the typing pauses; Escape clears. */
function SearchInput({ value, onChange, inputRef }: SearchInputProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const later = useDebouncedCallback(onChange, 250);
  const set = (next: string): void => {
    setText(next);
    later(next);
  };
  return (
    <TextInput
      ref={inputRef}
      size="xs"
      flex={1}
      type="search"
      maxLength={100}
      placeholder={t("common.search")}
      aria-label={t("inbox.search")}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        text !== "" && (
          <CloseButton size="xs" aria-label={t("inbox.clear_search")} onClick={() => set("")} />
        )
      }
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        set("");
        event.currentTarget.blur();
      }}
    />
  );
}
