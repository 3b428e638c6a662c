import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { DayField, dayIn } from "../../components/day-field.tsx";
import type { DayRange } from "../../lib/agent-reports.ts";
import { useSession } from "../../lib/session.ts";
import { useNow } from "../../lib/time.ts";
import { addDays, wallTime } from "../../lib/zoned-time.ts";
import { paths } from "../../paths.ts";
import styles from "./agent.module.css";

const presets = [7, 30, 90] as const;
const usual = 30;

/** Days of a report. The URL keeps them; the last 30 days without. */
export function useReportRange() {
  const { account } = useSession();
  const [params, setParams] = useSearchParams();
  const now = new Date(useNow(60_000)).toISOString();
  const today = wallTime(now, account.time_zone).date;
  const to = dayIn(params, "to") ?? today;
  const from = dayIn(params, "from") ?? addDays(to, 1 - usual);
  const setRange = (range: DayRange): void => setParams({ ...range });
  return { range: { from, to }, today, setRange };
}

type ReportRange = ReturnType<typeof useReportRange>;

/** First and last day of a report, and buttons for the last days. */
export function RangeFields({ range, today, setRange }: ReportRange) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" mb="md" className={styles["range"] ?? ""}>
      {(["from", "to"] as const).map((name) => (
        <DayField
          key={name}
          label={t(`deliveries.${name}`)}
          day={range[name]}
          // A day that is being typed is none yet, and leaves the range as it is.
          onSet={(day) => day !== "" && setRange({ ...range, [name]: day })}
        />
      ))}
      {presets.map((count) => {
        const from = addDays(today, 1 - count);
        return (
          <Button
            key={count}
            variant="default"
            aria-pressed={range.from === from && range.to === today}
            onClick={() => setRange({ from, to: today })}
          >
            {t("reports.last_days", { count })}
          </Button>
        );
      })}
    </Group>
  );
}

/** Filter of the list of turns, as its URL has it. */
interface TurnLink {
  mode?: "draft";
  outcome?: string;
  reason?: string;
  rating?: string;
  reopened?: string;
}

/** Path of the list of turns behind a figure of a report: those with customers, or of drafts. */
export function turnsPath({ from, to }: DayRange, filter: TurnLink): string {
  const params = new URLSearchParams({ mode: "live", from, to, ...filter });
  return `${paths.agentTurns}?${params.toString()}`;
}
