import { useTranslation } from "react-i18next";
import { answersFrom, offersFrom } from "../../lib/knowledge.ts";
import styles from "./agent.module.css";

interface KnowledgeHitsProps {
  hits: { id: number; question: string; score: number }[];
}

/** Items that a search found, each with its score and what the agent makes of it. */
export function KnowledgeHits({ hits }: KnowledgeHitsProps) {
  const { t } = useTranslation();
  return (
    <ol className={styles["hits"]} aria-label={t("knowledge.hits")}>
      {hits.map((hit) => (
        <li key={hit.id} className={styles["hit"]} data-verdict={verdictOf(hit.score)}>
          <span className={styles["asked"]} dir="auto">
            {hit.question}
          </span>
          <span className={styles["verdict"]}>
            {t(`knowledge.verdict.${verdictOf(hit.score)}`)}
          </span>
          <span className={styles["score"]} aria-hidden>
            <i style={{ width: `${hit.score * 100}%` }} />
          </span>
          <span className="tabular">{hit.score.toFixed(2)}</span>
        </li>
      ))}
    </ol>
  );
}

function verdictOf(score: number) {
  if (score >= answersFrom) return "answers";
  return score >= offersFrom ? "offers" : "unused";
}
