import { ActionIcon, Button, Group, SegmentedControl, Select, Switch, Title } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { WallField } from "../../components/wall-field.tsx";
import type { Resource } from "../../lib/appointments.ts";
import { dateText, weekText } from "../../lib/time.ts";
import { addDays } from "../../lib/zoned-time.ts";
import type { CalendarState } from "./use-calendar.ts";

interface CalendarControlsProps {
  state: CalendarState;
  resources: Resource[];
}

/** Controls of the calendar: days, agenda and view. */
export function CalendarControls({ state, resources }: CalendarControlsProps) {
  const { t } = useTranslation();
  const { view, asList, days, resourceId, all, set } = state;
  const [first = state.date, last = state.date] = [days[0], days.at(-1)];
  return (
    <Group mb="sm" gap="sm" justify="space-between">
      <Group gap="xs">
        <Turns state={state} />
        <Title order={2} aria-live="polite">
          {view === "week"
            ? weekText(first, last)
            : dateText(first, { weekday: "long", day: "numeric", month: "long", year: "numeric" })}
        </Title>
      </Group>
      <Group gap="xs">
        <Switch
          label={t("appointments.all")}
          checked={all}
          onChange={({ currentTarget }) => set({ all: currentTarget.checked ? "1" : null })}
        />
        <Select
          w={200}
          searchable
          aria-label={t("appointments.agenda")}
          placeholder={t("appointments.any_agenda")}
          clearable={view === "day"}
          allowDeselect={false}
          value={resourceId === null ? null : String(resourceId)}
          onChange={(id) => set({ agenda: id })}
          data={resources.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        {!asList && (
          <SegmentedControl
            aria-label={t("appointments.view")}
            value={view}
            onChange={(next) => set({ view: next === "week" ? null : next })}
            data={[
              { value: "day", label: t("appointments.day") },
              { value: "week", label: t("appointments.week") },
            ]}
          />
        )}
      </Group>
    </Group>
  );
}

/** Buttons for today, earlier and later, and a field for any day. */
function Turns({ state: { view, date, today, set } }: { state: CalendarState }) {
  const { t } = useTranslation();
  const step = view === "week" ? 7 : 1;
  const go = (day: string): void => set({ date: day === today ? null : day });
  return (
    <>
      <Button variant="default" onClick={() => go(today)}>
        {t("appointments.today")}
      </Button>
      <ActionIcon.Group>
        <ActionIcon
          size="lg"
          variant="default"
          aria-label={t("appointments.earlier")}
          onClick={() => go(addDays(date, -step))}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <ActionIcon
          size="lg"
          variant="default"
          aria-label={t("appointments.later")}
          onClick={() => go(addDays(date, step))}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </ActionIcon.Group>
      <WallField
        kind="date"
        w={150}
        aria-label={t("appointments.date")}
        value={date}
        onChange={(day) => day !== "" && go(day)}
      />
    </>
  );
}
