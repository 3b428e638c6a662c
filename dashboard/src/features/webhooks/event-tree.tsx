import { Checkbox, Input, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { eventTypes } from "../../../../core/model/events.ts";

interface EventTreeProps {
  /** Patterns: `*`, `message.*`, event types. */
  value: string[];
  onChange: (patterns: string[]) => void;
  error?: ReactNode;
}

const families = ["message", "conversation", "contact", "appointment"] as const;

/** The catalogue of events as a tree. A ticked family also takes those of its kind that come later. */
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
        {families.map((family) => (
          <Family key={family} family={family} value={value} toggle={toggle} />
        ))}
      </Stack>
    </Input.Wrapper>
  );
}

interface FamilyProps {
  family: (typeof families)[number];
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
      {/* So far apart that each can be hit: the middles of two boxes are 24 px from each other. */}
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

/** Whether a pattern selects nothing that `wider` does not. */
function isWithin(pattern: string, wider: string): boolean {
  return wider === "*" || (wider.endsWith(".*") && pattern.startsWith(wider.slice(0, -1)));
}
