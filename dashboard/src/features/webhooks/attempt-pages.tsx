import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { newestAttempts } from "../../../../core/model/workflow/delivery.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { AttemptItem } from "./attempt-item.tsx";
import { attemptsQuery, type Attempt, type Delivery } from "./deliveries-api.ts";
import styles from "./webhooks.module.css";

/** Attempts of a delivery, newest first: the newest ones live, older ones by page. */
export function AttemptPages({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(attemptsQuery(delivery.id, offset));
  const total = delivery.attempts_total;
  const meta = { total, total_at_least: false, limit: newestAttempts, offset };
  if (total === 0) return <Text c="dimmed">{t("deliveries.no_attempt")}</Text>;
  const shown = offset === 0 ? delivery.attempts.toReversed() : data?.data;
  return (
    <>
      <QueryState query={{ data: shown, error, refetch }}>
        {(attempts) => <Attempts attempts={attempts} isNewest={offset === 0} />}
      </QueryState>
      <Pager meta={meta} onMove={setOffset} />
    </>
  );
}

interface AttemptsProps {
  attempts: readonly Attempt[];
  /** True for the page with the delivery's last attempt, which is open at first. */
  isNewest: boolean;
}

function Attempts({ attempts, isNewest }: AttemptsProps) {
  const { t } = useTranslation();
  const [toggled, setToggled] = useState<Partial<Record<string, boolean>>>({});
  return (
    <ol className={styles["attempts"]} aria-label={t("deliveries.attempts")}>
      {attempts.map((attempt, index) => {
        const key = `${attempt.run}.${attempt.seq}`;
        const opened = toggled[key] ?? (isNewest && index === 0);
        return (
          <AttemptItem
            key={key}
            attempt={attempt}
            opened={opened}
            onToggle={() => setToggled((before) => ({ ...before, [key]: !opened }))}
          />
        );
      })}
    </ol>
  );
}
