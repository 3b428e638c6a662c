import { Box, Button, Chip, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { slotsQuery, type Resource, type SlotQuery } from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime } from "../../lib/time.ts";
import { addDays, isDate, momentAt, wallTime } from "../../lib/zoned-time.ts";
import { QueryState } from "../load-states.tsx";
import { WallField } from "../wall-field.tsx";

/** A time, and the agenda in which it is free. */
export interface SlotChoice {
  resource_id: number;
  start_time: string;
}

interface SlotPickerProps {
  wish: SlotQuery;
  resources: Resource[];
  /** As `2026-11-24`, in the account's time zone. */
  date: string;
  onDate: (date: string) => void;
  value: SlotChoice | null;
  onChange: (choice: SlotChoice | null) => void;
}

/** Fields for a day, its free times, and any other time of an agenda. */
export function SlotPicker({ wish, resources, date, onDate, value, onChange }: SlotPickerProps) {
  const { t } = useTranslation();
  const resourceId = wish.resource_id;
  const turn = (next: string): void => {
    onDate(next);
    onChange(null);
  };
  return (
    <Stack gap="sm">
      <Group align="flex-start" grow>
        <WallField kind="date" label={t("appointments.date")} value={date} onChange={turn} />
        {resourceId !== undefined && isDate(date) && (
          <OtherTime date={date} value={value} resourceId={resourceId} onChange={onChange} />
        )}
      </Group>
      {isDate(date) && (
        <FreeTimes
          wish={wish}
          resources={resources}
          date={date}
          value={value}
          onChange={onChange}
          onNext={() => turn(addDays(date, 1))}
        />
      )}
    </Stack>
  );
}

interface OtherTimeProps extends Pick<SlotPickerProps, "date" | "value" | "onChange"> {
  resourceId: number;
}

function OtherTime({ date, value, resourceId, onChange }: OtherTimeProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const minutes = value === null ? null : wallTime(value.start_time, account.time_zone).minutes;
  const set = (text: string): void => {
    const [hour, minute] = text.split(":").map(Number);
    if (hour === undefined || minute === undefined) return onChange(null);
    const wall = { date, minutes: hour * 60 + minute };
    onChange({ resource_id: resourceId, start_time: momentAt(wall, account.time_zone) });
  };
  return (
    <WallField
      kind="time"
      label={t("booking.other")}
      description={t("booking.other_text")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={minutes === null ? "" : clock(minutes)}
      onChange={set}
    />
  );
}

function clock(minutes: number): string {
  const parts = [Math.floor(minutes / 60), minutes % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

interface FreeTimesProps extends Omit<SlotPickerProps, "onDate"> {
  onNext: () => void;
}

function FreeTimes({ wish, resources, date, value, onChange, onNext }: FreeTimesProps) {
  const { account } = useSession();
  const midnight = (day: string) => momentAt({ date: day, minutes: 0 }, account.time_zone);
  const range = { from: midnight(date), to: midnight(addDays(date, 1)) };
  const slots = useQuery(slotsQuery(wish, range));
  return (
    <QueryState query={slots} rows={2} height={28}>
      {(free) =>
        free.length === 0 ? (
          <NoTimes onNext={onNext} />
        ) : (
          <Times slots={free} wish={wish} resources={resources} value={value} onChange={onChange} />
        )
      }
    </QueryState>
  );
}

function NoTimes({ onNext }: { onNext: () => void }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {t("booking.no_times")}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onNext}>
        {t("booking.next_day")}
      </Button>
    </Group>
  );
}

interface TimesProps extends Pick<SlotPickerProps, "wish" | "resources" | "value" | "onChange"> {
  slots: SlotChoice[];
}

function Times({ slots, wish, resources, value, onChange }: TimesProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const choices = slots.map(({ resource_id, start_time }) => ({ resource_id, start_time }));
  const names = new Map(resources.map(({ id, name }) => [id, name]));
  const keyOf = ({ resource_id, start_time }: SlotChoice) => `${resource_id} ${start_time}`;
  return (
    <Box role="group" aria-label={t("booking.times")} mah={240} style={{ overflowY: "auto" }}>
      <Chip.Group
        value={value === null ? null : keyOf(value)}
        onChange={(key) => onChange(choices.find((slot) => keyOf(slot) === key) ?? null)}
      >
        <Group gap={6}>
          {choices.map((slot) => (
            <Chip key={keyOf(slot)} value={keyOf(slot)} size="sm" radius="sm">
              {clockTime(slot.start_time, account.time_zone)}
              {wish.resource_id === undefined && ` ${names.get(slot.resource_id) ?? ""}`}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Box>
  );
}
