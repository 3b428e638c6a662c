import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { deliveryStates } from "../../../../core/model/workflow/delivery.ts";
import { eventTypes } from "../../../../core/model/event-types.ts";
import { SearchInput } from "../../components/search-input.tsx";
import { DayField, dayIn } from "../../components/day-field.tsx";
import { addDays, momentAt } from "../../lib/zoned-time.ts";
import type { LogFilter } from "./deliveries-api.ts";
import styles from "./webhooks.module.css";

/** The filter of a log from the URL. Days are those of the account's time zone. */
export function logFilterOf(
  params: URLSearchParams,
  subscriptionId: number,
  timeZone: string,
): LogFilter {
  const state = deliveryStates.find((one) => one === params.get("state"));
  const type = eventTypes.find((one) => one === params.get("type"));
  const search = params.get("q") ?? "";
  const from = dayIn(params, "from");
  const to = dayIn(params, "to");
  return {
    subscription_id: subscriptionId,
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { event_type: type }),
    ...(search === "" ? {} : { search }),
    ...(from === null ? {} : { since: momentAt({ date: from, minutes: 0 }, timeZone) }),
    ...(to === null ? {} : { until: momentAt({ date: addDays(to, 1), minutes: 0 }, timeZone) }),
  };
}

/** @returns true where the filter leaves out deliveries of the subscription. */
export function isNarrowed(filter: LogFilter): boolean {
  return Object.keys(filter).length > 1;
}

interface LogFiltersProps {
  params: URLSearchParams;
  onSet: (name: string, value: string | null) => void;
  /** A button behind the filters. */
  children: ReactNode;
}

/** Search, state, event and days of the delivery log. The URL keeps them. */
export function LogFilters({ params, onSet, children }: LogFiltersProps) {
  const { t } = useTranslation();
  return (
    <div className={styles["filters"]}>
      <div>
        <SearchInput
          label={t("deliveries.search")}
          placeholder={t("deliveries.search")}
          value={params.get("q") ?? ""}
          onChange={(text) => onSet("q", text.trim())}
        />
      </div>
      <Select
        clearable
        aria-label={t("deliveries.state")}
        placeholder={t("deliveries.any_state")}
        value={params.get("state")}
        onChange={(value) => onSet("state", value)}
        data={deliveryStates.map((value) => ({ value, label: t(`delivery_state.${value}`) }))}
      />
      <Select
        clearable
        searchable
        aria-label={t("deliveries.type")}
        placeholder={t("deliveries.any_type")}
        value={params.get("type")}
        onChange={(value) => onSet("type", value)}
        data={[...eventTypes]}
      />
      {(["from", "to"] as const).map((name) => (
        <DayField
          key={name}
          label={t(`deliveries.${name}`)}
          day={dayIn(params, name) ?? ""}
          onSet={(day) => onSet(name, day)}
        />
      ))}
      <div>{children}</div>
    </div>
  );
}
