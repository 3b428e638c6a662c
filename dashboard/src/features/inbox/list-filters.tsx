import { Button, Checkbox, Select, Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { restChannels } from "../../../../core/model/channels.ts";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import { useTeam } from "../../lib/team.ts";
import { filterNames, isNarrowed, type ListChange, type ListState } from "./list-state.ts";

interface ListFiltersProps {
  state: ListState;
  change: (next: ListChange) => void;
}

/** Fields of the filters that narrow a view. */
export function ListFilters({ state, change }: ListFiltersProps) {
  const { t } = useTranslation();
  const { filter } = state;
  const stages = stageOptions(usePipelines());
  return (
    <Stack gap="sm">
      <Select
        {...field}
        label={t("inbox.channel")}
        placeholder={t("inbox.any")}
        value={filter.channel ?? null}
        onChange={(channel) => change({ channel })}
        data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
        data-autofocus
      />
      <AssigneeFilter state={state} change={change} />
      <HandoffFilter state={state} change={change} />
      {stages.length > 0 && (
        <Select
          {...field}
          label={t("inbox.stage")}
          placeholder={t("inbox.any")}
          searchable
          value={filter.stage_id === undefined ? null : String(filter.stage_id)}
          onChange={(stage_id) => change({ stage_id })}
          data={stages}
        />
      )}
      <TagFilter key={filter.tag} state={state} change={change} />
      <Checkbox
        label={t("inbox.only_unread")}
        checked={filter.unread === "true"}
        onChange={({ currentTarget }) => change({ unread: currentTarget.checked ? "true" : null })}
      />
      {isNarrowed(state) && (
        <Button
          variant="default"
          size="xs"
          onClick={() =>
            change(Object.fromEntries(filterNames.map((name) => [name, standardOf(state, name)])))
          }
        >
          {t("inbox.clear_filters")}
        </Button>
      )}
    </Stack>
  );
}

/** A field whose list opens within the popover, so that a click in it does not close the popover. */
const field = { size: "xs", clearable: true, comboboxProps: { withinPortal: false } } as const;

/** The value of a filter in a saved view; null for a view of the inbox. */
function standardOf({ saved }: ListState, name: string): string | null {
  const value = Object.entries(saved?.filter ?? {}).find(([key]) => key === name)?.[1];
  return value === undefined ? null : String(value);
}

function AssigneeFilter({ state, change }: ListFiltersProps) {
  const { t } = useTranslation();
  const team = useTeam();
  const value = state.filter.assigned_to;
  return (
    <Select
      {...field}
      label={t("inbox.assignee")}
      placeholder={t("inbox.any")}
      searchable
      value={value === undefined ? null : String(value)}
      onChange={(assigned_to) => change({ assigned_to })}
      data={[
        { value: "me", label: t("inbox.me") },
        { value: "nobody", label: t("inbox.nobody") },
        ...team.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  );
}

/** Filter by state: conversations that were handed off, all or by answer, or were set to waiting. */
function HandoffFilter({ state, change }: ListFiltersProps) {
  const { t } = useTranslation();
  const { status, answered } = state.filter;
  const words = { true: "answered", false: "unanswered" } as const;
  const chosen = answered === undefined ? (status ?? null) : words[answered];
  return (
    <Select
      {...field}
      label={t("inbox.state")}
      placeholder={t("inbox.any")}
      value={chosen}
      onChange={(next) => {
        const byAnswer = next === "answered" ? "true" : next === "unanswered" ? "false" : null;
        change({ answered: byAnswer, status: byAnswer === null ? next : null });
      }}
      data={[
        { value: "unanswered", label: t("inbox.answers.waiting") },
        { value: "answered", label: t("inbox.answers.answered") },
        { value: "handed_off", label: t("status.handed_off") },
        { value: "waiting", label: t("status.waiting") },
        ...(status === "active" || status === "resolved"
          ? [{ value: status, label: t(`status.${status}`) }]
          : []),
      ]}
    />
  );
}

function TagFilter({ state, change }: ListFiltersProps) {
  const { t } = useTranslation();
  const set = (text: string): void => {
    const tag = text.trim() === "" ? null : text.trim();
    if (tag !== (state.filter.tag ?? null)) change({ tag });
  };
  return (
    <TextInput
      size="xs"
      label={t("inbox.tag")}
      placeholder={t("inbox.any")}
      maxLength={50}
      defaultValue={state.filter.tag ?? ""}
      onBlur={({ currentTarget }) => set(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") set(currentTarget.value);
      }}
    />
  );
}
