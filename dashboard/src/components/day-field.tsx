import { isDate } from "../lib/zoned-time.ts";
import { WallField } from "./wall-field.tsx";

/** The day that the URL has for a name; null for none, or for a text that is no day. */
export function dayIn(params: URLSearchParams, name: "from" | "to"): string | null {
  const day = params.get(name) ?? "";
  return isDate(day) ? day : null;
}

interface DayFieldProps {
  label: string;
  day: string;
  onSet: (day: string) => void;
}

/** Day of a filter, with its name inside the field. */
export function DayField({ label, day, onSet }: DayFieldProps) {
  return (
    <WallField
      kind="date"
      aria-label={label}
      leftSection={label}
      leftSectionWidth={52}
      value={day}
      onChange={onSet}
    />
  );
}
