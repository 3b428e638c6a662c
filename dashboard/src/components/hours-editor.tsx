import { ActionIcon, Box, Group, Stack, Text } from "@mantine/core";
import { IconCopy, IconPlus, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { weekdays, type Weekday, type WeeklyHours } from "../../../core/model/schedule.ts";
import { WallField } from "./wall-field.tsx";
import { withDayCopied, withRangeAdded } from "../lib/weekly-hours.ts";

interface HoursEditorProps {
  hours: WeeklyHours;
  onChange: (hours: WeeklyHours) => void;
}

/** Fields for the time ranges of each weekday. Midnight as an end means the end of the day. */
export function HoursEditor({ hours, onChange }: HoursEditorProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" role="group" aria-label={t("setup.hours")}>
      <Text size="sm" fw={500}>
        {t("setup.hours")}
      </Text>
      {weekdays.map((day) => (
        <Day key={day} day={day} hours={hours} onChange={onChange} />
      ))}
    </Stack>
  );
}

function Day({ day, hours, onChange }: HoursEditorProps & { day: Weekday }) {
  const { t } = useTranslation();
  const name = t(`weekday.${day}`);
  const ranges = hours[day];
  return (
    <Group gap="xs" align="flex-start">
      <Text size="sm" w={{ base: "100%", xs: 84 }} pt={6}>
        {name}
      </Text>
      <Box flex={1} miw={0}>
        {ranges.length === 0 && (
          <Text size="sm" c="dimmed" pt={6}>
            {t("setup.closed")}
          </Text>
        )}
        {ranges.map((range, index) => (
          <Range
            key={index}
            day={name}
            range={range}
            onChange={(next) => onChange({ ...hours, [day]: ranges.with(index, next) })}
            onRemove={() => onChange({ ...hours, [day]: ranges.toSpliced(index, 1) })}
          />
        ))}
      </Box>
      <ActionIcon
        variant="subtle"
        color="gray"
        mt={4}
        aria-label={t("setup.add_range", { day: name })}
        onClick={() => onChange(withRangeAdded(hours, day))}
      >
        <IconPlus size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        mt={4}
        aria-label={t("setup.copy_day", { day: name })}
        title={t("setup.copy_day", { day: name })}
        onClick={() => onChange(withDayCopied(hours, day))}
      >
        <IconCopy size={16} />
      </ActionIcon>
    </Group>
  );
}

interface RangeProps {
  /** Name of the weekday. */
  day: string;
  range: { from: string; to: string };
  onChange: (range: { from: string; to: string }) => void;
  onRemove: () => void;
}

function Range({ day, range, onChange, onRemove }: RangeProps) {
  const { t } = useTranslation();
  const { from, to } = range;
  return (
    <Group gap={4} wrap="nowrap" mb={4}>
      <WallField
        kind="time"
        required
        flex={1}
        miw={0}
        aria-label={t("setup.from", { day })}
        value={from}
        onChange={(next) => onChange({ from: next, to })}
      />
      <WallField
        kind="time"
        required
        flex={1}
        miw={0}
        aria-label={t("setup.to", { day })}
        value={to === "24:00" ? "00:00" : to}
        onChange={(next) => onChange({ from, to: next === "00:00" ? "24:00" : next })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t("setup.remove_range", { day, range: `${from}–${to}` })}
        onClick={onRemove}
      >
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}
