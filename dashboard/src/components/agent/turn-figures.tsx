import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { accountQuery } from "../../lib/account.ts";
import type { TurnDetail } from "../../lib/agent-turns.ts";
import { costText } from "../../lib/money.ts";
import { tookText } from "../../lib/time.ts";
import { turnWord } from "./turn-words.ts";
import styles from "./turn.module.css";

type Figure = [name: string, value: ReactNode];

interface TurnFiguresProps {
  turn: Pick<
    TurnDetail,
    "duration_ms" | "input_tokens" | "output_tokens" | "cost_micros" | "engine"
  >;
  more?: Figure[];
}

/** Time, tokens, cost and engine, as figures in one line. */
export function TurnFigures({ turn, more = [] }: TurnFiguresProps) {
  const { t, i18n } = useTranslation();
  const currency = useQuery(accountQuery).data?.settings.currency;
  const tokens = turn.input_tokens + turn.output_tokens;
  const figures: Figure[] = [
    [t("turns.time"), turn.duration_ms === null ? "…" : tookText(turn.duration_ms)],
    [t("turns.tokens"), tokens.toLocaleString(i18n.language)],
    ...(currency === undefined
      ? []
      : [[t("turns.cost"), costText(turn.cost_micros, currency)] satisfies Figure]),
    [t("turns.engine_title"), turnWord("engine", turn.engine)],
    ...more,
  ];
  return (
    <dl className={styles["figures"]}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
