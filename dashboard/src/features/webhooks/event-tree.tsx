import { Checkbox, Input, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { eventFamilies, eventTypes, type EventFamily } from "../../../../core/model/event-types.ts";

interface EventTreeProps {
  /** Patterns such as `*`, `message.*` or an event type. */
  value: string[];
  onChange: (patterns: string[]) => void;
  error?: ReactNode;
}

/** Tree of event types. A chosen family also selects types that are added to it later. */
export function EventTree({ value, onChange, error }: EventTreeProps) {
  const { t } = useTranslation();
  const all = value.includes("*");
  const toggle = (pattern: string, on: boolean): void => {
    const others = value.filter((one) => one !== pattern && !(on && isWithin(one, pattern)));
    onChange(on ? [...others, pattern] : others);
  };
  return (
    <Input.Wrapper label={t("webhooks.events")} error={error} labelElement="div">
      <Stack gap={8} mt={4} role="group" aria-label={t("webhooks.events")}>
        <Checkbox
          label={t("webhooks.all_events")}
          checked={all}
          onChange={(event) => toggle("*", event.currentTarget.checked)}
        />
        {eventFamilies.map((family) => (
          <Family key={family} family={family} value={value} toggle={toggle} />
        ))}
      </Stack>
    </Input.Wrapper>
  );
}

interface FamilyProps {
  family: EventFamily;
  value: string[];
  toggle: (pattern: string, on: boolean) => void;
}

function Family({ family, value, toggle }: FamilyProps) {
  const pattern = `${family}.*`;
  const all = value.includes("*");
  const whole = all || value.includes(pattern);
  const types = eventTypes.filter((type) => type.startsWith(`${family}.`));
  return (
    <Stack gap={8} pl="lg">
      <Checkbox
        label={pattern}
        disabled={all}
        checked={whole}
        indeterminate={!whole && types.some((type) => value.includes(type))}
        onChange={(event) => toggle(pattern, event.currentTarget.checked)}
      />
      {/* The gap puts the centres of two boxes 24 px apart, so that each one can be hit. */}
      <Stack gap={8} pl="lg">
        {types.map((type) => (
          <Checkbox
            key={type}
            size="xs"
            label={type}
            disabled={whole}
            checked={whole || value.includes(type)}
            onChange={(event) => toggle(type, event.currentTarget.checked)}
          />
        ))}
      </Stack>
    </Stack>
  );
}

/** @returns true where `wider` selects everything that `pattern` selects. */
function isWithin(pattern: string, wider: string): boolean {
  return wider === "*" || (wider.endsWith(".*") && pattern.startsWith(wider.slice(0, -1)));
}
