import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { turnWord } from "../../components/agent/turn-words.ts";
import { QueryState } from "../../components/load-states.tsx";
import { RowLink, WideTable } from "../../components/wide-table.tsx";
import { qualityQuery, type AgentQuality, type DayRange } from "../../lib/agent-reports.ts";
import { tookText } from "../../lib/time.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { NoTurns } from "./no-turns.tsx";
import { RangeFields, turnsPath, useReportRange } from "./report-range.tsx";
import styles from "./agent.module.css";

/** Page that says how well the agent answers. Each figure leads to the turns behind it. */
export function QualityPage() {
  const { t } = useTranslation();
  const report = useReportRange();
  const quality = useQuery(qualityQuery(report.range));
  return (
    <AgentFrame tab={t("reports.quality")}>
      <RangeFields {...report} />
      <QueryState query={quality}>
        {/* An agent that only prepares drafts takes no turn that answers customers. */}
        {(data) =>
          data.turns + draftsOf(data) === 0 ? (
            <NoTurns title={t("reports.no_customers")} text={t("reports.no_customers_text")} />
          ) : (
            <Report quality={data} />
          )
        }
      </QueryState>
    </AgentFrame>
  );
}

function Report({ quality }: { quality: AgentQuality }) {
  const { t } = useTranslation();
  const range = { from: quality.from, to: quality.to };
  return (
    <Stack gap="lg">
      <Figures quality={quality} range={range} />
      <Counts
        title={t("reports.handovers")}
        first={t("reports.reason")}
        empty={t("reports.no_handovers")}
        rows={quality.handovers.map(({ reason, turns }) => ({
          name: turnWord("reason", reason),
          count: turns,
          to: turnsPath(range, { outcome: "handed_off", reason }),
        }))}
      />
      {quality.down_reasons.length > 0 && (
        <Counts
          title={t("reports.down_reasons")}
          first={t("reports.reason")}
          empty=""
          rows={quality.down_reasons.map(({ reason, ratings }) => ({
            name: t(`rating.reason.${reason}`),
            count: ratings,
            to: turnsPath(range, { rating: "down" }),
          }))}
        />
      )}
    </Stack>
  );
}

function Figures({ quality, range }: { quality: AgentQuality; range: DayRange }) {
  const { t, i18n } = useTranslation();
  const count = (value: number): string => value.toLocaleString(i18n.language);
  const decided = quality.replied + quality.handed_off;
  const share = (quality.replied / decided).toLocaleString(i18n.language, { style: "percent" });
  const { silence_ms: silence } = quality;
  const drafts = draftsOf(quality);
  return (
    <ul className={styles["outcomes"]} aria-label={t("reports.figures")}>
      <Figure
        to={turnsPath(range, { outcome: "replied" })}
        value={decided === 0 ? "–" : share}
        name={t("reports.alone")}
        note={t("reports.alone_of", { count: quality.replied, of: count(decided) })}
      />
      <Figure
        to={turnsPath(range, { outcome: "handed_off" })}
        value={count(quality.handed_off)}
        name={t("reports.handed_over")}
      />
      <Figure
        to={turnsPath(range, { reopened: "true" })}
        value={count(quality.reopened)}
        name={t("reports.reopened")}
      />
      <Figure
        to={turnsPath(range, { rating: "up" })}
        value={count(quality.rated_up)}
        name={t("reports.rated_up")}
      />
      <Figure
        to={turnsPath(range, { rating: "down" })}
        value={count(quality.rated_down)}
        name={t("reports.rated_down")}
      />
      {drafts > 0 && (
        <Figure
          to={turnsPath(range, { mode: "draft", outcome: "drafted" })}
          value={count(quality.drafts_edited)}
          name={t("reports.drafts_edited")}
          note={t("reports.drafts_of", { count: drafts })}
        />
      )}
      <Figure
        to={turnsPath(range, { outcome: "paused" })}
        value={silence === null ? "–" : tookText(silence.average)}
        name={t("reports.silence")}
        note={
          silence === null
            ? t("reports.no_pause")
            : t("reports.longest", { time: tookText(silence.longest) })
        }
      />
    </ul>
  );
}

/** Number of drafts that people sent, edited or not. */
function draftsOf(quality: AgentQuality): number {
  return quality.drafts_sent + quality.drafts_edited;
}

interface FigureProps {
  to: string;
  value: ReactNode;
  name: string;
  note?: string;
}

function Figure({ to, value, name, note }: FigureProps) {
  return (
    <li>
      <Link to={to} className={styles["outcome"]}>
        <b className="tabular">{value}</b>
        <span>{name}</span>
        {note !== undefined && (
          <Text span size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </Link>
    </li>
  );
}

interface CountsProps {
  title: string;
  first: string;
  /** Words where there is no row. */
  empty: string;
  rows: { name: string; count: number; to: string }[];
}

/** Table of counts by reason, each with the turns behind it. */
function Counts({ title, first, empty, rows }: CountsProps) {
  const { t, i18n } = useTranslation();
  return (
    <section>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">{empty}</Text>
      ) : (
        <WideTable
          label={title}
          minWidth={360}
          heads={[first, { label: t("turns.title"), isEnd: true }]}
        >
          {rows.map(({ name, count, to }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <RowLink to={to}>{name}</RowLink>
              </Table.Td>
              <Table.Td ta="end" className="tabular">
                {count.toLocaleString(i18n.language)}
              </Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
    </section>
  );
}
