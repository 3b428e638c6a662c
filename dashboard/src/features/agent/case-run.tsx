import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { turnWord } from "../../components/agent/turn-words.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import styles from "./agent.module.css";
import type { AgentCase } from "./cases-api.ts";

/** Sentences that say how the last run differed from the expectation; none where it passed. */
export function useDifferences() {
  const { t } = useTranslation();

  /** Outcome of a run with its reason, such as "Handed over, the customer asked for a person". */
  function endOf({ outcome, reason }: NonNullable<AgentCase["result"]>): string {
    const words = outcome === null ? [] : [t(`turns.outcome.${outcome}`)];
    return [...words, ...(reason === null ? [] : [turnWord("reason", reason)])].join(" · ");
  }

  return ({ expected, result }: Pick<AgentCase, "expected" | "result">): string[] => {
    if (result === null) return [];
    return result.differences.map((one) => {
      switch (one) {
        case "outcome":
          return t("cases.differs.outcome", { found: endOf(result) });
        case "tool":
          return t("cases.differs.tool", { tool: turnWord("tool", expected.tool ?? "") });
        case "item":
          return t("cases.differs.item");
        case "error": {
          const code = result.error ?? "internal_error";
          return t("cases.differs.error", { error: errorCodeText({ code, message: code }) });
        }
      }
    });
  };
}

/** Shows the last run of a case: texts and tools of the agent, and the differences. */
export function CaseRun({ run }: { run: Pick<AgentCase, "expected" | "result"> }) {
  const { t } = useTranslation();
  const { result } = run;
  const differences = useDifferences()(run);
  if (result === null) return null;
  return (
    <section aria-label={t("cases.ran")} className={styles["run"]}>
      <Stack gap="xs">
        <Text fw={500}>{t("cases.ran")}</Text>
        {differences.map((one) => (
          <Text key={one} size="sm" c="var(--parley-bad)">
            {one}
          </Text>
        ))}
        <Text size="xs" c="dimmed">
          {t(result.texts.length === 0 ? "cases.wrote_nothing" : "cases.wrote")}
        </Text>
        {result.texts.map((text, index) => (
          <div key={index} className={styles["wrote"]} dir="auto">
            {text}
          </div>
        ))}
        {result.tools.length > 0 && (
          <Text size="xs" c="dimmed">
            {t("cases.used")}: {result.tools.map((tool) => turnWord("tool", tool)).join(" · ")}
          </Text>
        )}
      </Stack>
    </section>
  );
}
