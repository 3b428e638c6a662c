import { Select, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "./imports.module.css";
import { useReasonText } from "./reason-text.ts";
import { useCountText } from "./use-count-text.ts";

interface CountTabsProps<Value extends string> {
  /** Name of the group for screen readers. */
  label: string;
  options: { value: Value | null; label: string; count: number }[];
  value: Value | null;
  onChange: (value: Value | null) => void;
}

/** Counts as buttons: each shows only its own rows. Null stands for all rows. */
export function CountTabs<Value extends string>(props: CountTabsProps<Value>) {
  const { label, options, value, onChange } = props;
  const number = useCountText();
  return (
    <div className={styles["counts"]} role="group" aria-label={label}>
      {options.map((option) => (
        <UnstyledButton
          key={option.value ?? "all"}
          aria-pressed={option.value === value}
          data-zero={option.count === 0 || undefined}
          onClick={() => onChange(option.value)}
        >
          <b className="tabular">{number(option.count)}</b>
          <span>{option.label}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}

interface ReasonSelectProps {
  reasons: { reason: string; count: number }[];
  value: string | null;
  onChange: (reason: string | null) => void;
}

/** Filter by the reason of a row; nothing where no row has one. */
export function ReasonSelect({ reasons, value, onChange }: ReasonSelectProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const number = useCountText();
  if (reasons.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { reason, count } of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return (
    <Select
      clearable
      w={{ base: "100%", xs: 320 }}
      aria-label={t("imports.check.reason")}
      placeholder={t("imports.check.any_reason")}
      value={value}
      onChange={onChange}
      data={[...counts].map(([reason, count]) => ({
        value: reason,
        label: `${reasonText(reason)} (${number(count)})`,
      }))}
    />
  );
}
