import { Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { turnWord } from "../../components/agent/turn-words.ts";
import { QueryState } from "../../components/load-states.tsx";
import { RowLink, WideTable } from "../../components/wide-table.tsx";
import { accountQuery } from "../../lib/account.ts";
import { usageQuery, type AgentUsage } from "../../lib/agent-reports.ts";
import { costText } from "../../lib/money.ts";
import { dateText } from "../../lib/time.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { NoTurns } from "./no-turns.tsx";
import { RangeFields, turnsPath, useReportRange } from "./report-range.tsx";
import styles from "./agent.module.css";

type Figures = AgentUsage["total"];

/** Page of turns, tokens and cost, by day and by provider, beside the budgets. */
export function UsagePage() {
  const { t } = useTranslation();
  const report = useReportRange();
  const usage = useQuery(usageQuery(report.range));
  return (
    <AgentFrame tab={t("reports.usage")}>
      <RangeFields {...report} />
      <QueryState query={usage}>
        {(data) => (
          <Stack gap="lg">
            {data.budgets.length > 0 && <Budgets budgets={data.budgets} />}
            {data.total.turns === 0 ? (
              <NoTurns title={t("reports.no_turns")} text={t("reports.no_turns_text")} />
            ) : (
              <Tables usage={data} />
            )}
          </Stack>
        )}
      </QueryState>
    </AgentFrame>
  );
}

/** Cost of today and of this month beside its budget. */
function Budgets({ budgets }: Pick<AgentUsage, "budgets">) {
  const { t } = useTranslation();
  const cost = useCostText();
  return (
    <ul className={styles["outcomes"]} aria-label={t("reports.budgets")}>
      {budgets.map(({ period, limit_micros: limit, spent_micros: spent }) => (
        <li key={period}>
          <Paper withBorder p="md">
            <Text size="xs" c="dimmed">
              {t(`reports.budget.${period}`)}
            </Text>
            <Text fw={600} className="tabular">
              {t("reports.of_budget", { spent: cost(spent), limit: cost(limit) })}
            </Text>
            <meter
              className={styles["meter"]}
              aria-label={t(`reports.budget.${period}`)}
              min={0}
              max={Math.max(limit, 1)}
              high={Math.max(limit, 1) * 0.8}
              value={Math.min(spent, Math.max(limit, 1))}
            />
          </Paper>
        </li>
      ))}
    </ul>
  );
}

function Tables({ usage }: { usage: AgentUsage }) {
  const { t } = useTranslation();
  const days = usage.days.filter(({ turns }) => turns > 0).toReversed();
  return (
    <>
      <Section title={t("reports.by_provider")} first={t("turns.engine_title")}>
        {usage.engines.map(({ engine, ...figures }) => (
          <Row key={engine} name={turnWord("engine", engine)} figures={figures} />
        ))}
        <Row name={t("reports.total")} figures={usage.total} isTotal />
      </Section>
      <Section title={t("reports.by_day")} first={t("reports.day")}>
        {days.map(({ day, ...figures }) => (
          <Row
            key={day}
            name={dateText(day, { weekday: "short", day: "numeric", month: "short" })}
            to={turnsPath({ from: day, to: day }, {}).replace("mode=live&", "")}
            figures={figures}
          />
        ))}
      </Section>
    </>
  );
}

interface SectionProps {
  title: string;
  /** Name of the first column. */
  first: string;
  children: ReactNode;
}

function Section({ title, first, children }: SectionProps) {
  const { t } = useTranslation();
  const figures = [t("turns.title"), t("reports.input"), t("reports.output"), t("turns.cost")];
  return (
    <section>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <WideTable
        label={title}
        minWidth={560}
        heads={[first, ...figures.map((label) => ({ label, isEnd: true }))]}
      >
        {children}
      </WideTable>
    </section>
  );
}

interface RowProps {
  name: string;
  /** Turns behind the row. */
  to?: string;
  figures: Figures;
  isTotal?: boolean;
}

function Row({ name, to, figures, isTotal = false }: RowProps) {
  const { i18n } = useTranslation();
  const cost = useCostText();
  const count = (value: number): string => value.toLocaleString(i18n.language);
  const { turns, input_tokens: input, output_tokens: output, cost_micros: micros } = figures;
  return (
    <Table.Tr fw={isTotal ? 600 : undefined}>
      <Table.Td>{to === undefined ? name : <RowLink to={to}>{name}</RowLink>}</Table.Td>
      {[count(turns), count(input), count(output), cost(micros)].map((text, index) => (
        <Table.Td key={index} ta="end" className="tabular">
          {text}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function useCostText(): (micros: number) => string {
  const currency = useQuery(accountQuery).data?.settings.currency;
  return (micros) => (currency === undefined ? "…" : costText(micros, currency));
}
