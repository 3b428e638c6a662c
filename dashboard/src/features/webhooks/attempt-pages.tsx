import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { newestAttempts } from "../../../../core/model/workflow/delivery.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { AttemptItem } from "./attempt-item.tsx";
import { attemptsQuery, type Attempt, type Delivery } from "./deliveries-api.ts";

/** Attempts of a delivery: the newest ones live, older ones by page. */
export function AttemptPages({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(attemptsQuery(delivery.id, offset));
  const total = delivery.attempts_total;
  const meta = { total, total_at_least: false, limit: newestAttempts, offset };
  if (total === 0) return <Text c="dimmed">{t("deliveries.no_attempt")}</Text>;
  const shown = offset === 0 ? delivery.attempts : data?.data.toReversed();
  return (
    <>
      <QueryState query={{ data: shown, error, refetch }}>
        {(attempts) => <Attempts attempts={attempts} />}
      </QueryState>
      <Pager meta={meta} onMove={setOffset} />
    </>
  );
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return attempts.map((attempt) => (
    <AttemptItem key={`${attempt.run}.${attempt.seq}`} attempt={attempt} />
  ));
}
