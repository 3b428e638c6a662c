import { Select, type ComboboxItem, type OptionsFilter } from "@mantine/core";
import { useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { clockTime, useNow } from "../lib/time.ts";

interface TimeZoneSelectProps {
  value: string;
  onChange: (value: string | null) => void;
  onBlur?: () => void;
  error?: ReactNode;
  readOnly: boolean;
}

/** Field for a time zone, searched by any part of its name, with the present time there. */
export function TimeZoneSelect({ value, ...props }: TimeZoneSelectProps) {
  const { t } = useTranslation();
  const now = useNow(10_000);
  const zones = useMemo(() => listTimeZones(value), [value]);
  return (
    <Select
      label={t("settings.time_zone")}
      description={t("settings.time_zone_text", {
        time: clockTime(new Date(now).toISOString(), value),
      })}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t("settings.no_time_zone")}
      maxDropdownHeight={260}
      filter={byAnyPart}
      data={zones}
      value={value}
      {...props}
    />
  );
}

/**
 * The account's zone may be an older name that the browser does not list. The browser may leave out
 * UTC too.
 */
function listTimeZones(own: string): string[] {
  const zones = new Set([...Intl.supportedValuesOf("timeZone"), "UTC", own]);
  return [...zones].toSorted();
}

/** `mexico city` finds `America/Mexico_City`. */
const byAnyPart: OptionsFilter = ({ options, search }) => {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_/\s]+/g, " ");
  const words = plain(search).split(" ");
  return (options as ComboboxItem[]).filter(({ label }) =>
    words.every((word) => plain(label).includes(word)),
  );
};
