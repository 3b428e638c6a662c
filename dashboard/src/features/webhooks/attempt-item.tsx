import { Code, Group, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "../../components/chip.tsx";
import { Status } from "../../components/status.tsx";
import { useSession } from "../../lib/session.ts";
import { clockSeconds, exactTime, tookText } from "../../lib/time.ts";
import { answerWords, errorWords, isSuccess } from "./answer.ts";
import type { Attempt } from "./deliveries-api.ts";
import styles from "./webhooks.module.css";

interface AttemptItemProps {
  attempt: Attempt;
  opened: boolean;
  onToggle: () => void;
}

/** An attempt in one row. Opened, the row shows the answer and the headers of both sides. */
export function AttemptItem({ attempt, opened, onToggle }: AttemptItemProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const details = useId();
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <li className={styles["attempt"]}>
      <UnstyledButton
        className={styles["attemptHead"] ?? ""}
        aria-expanded={opened}
        aria-controls={details}
        onClick={onToggle}
      >
        <Chevron size={16} color="var(--parley-ink-3)" aria-hidden />
        <Text span fw={opened ? 600 : 500}>
          {t("deliveries.attempt", { number: attempt.number })}
        </Text>
        <Outcome attempt={attempt} opened={opened} />
        {attempt.duration_ms !== null && (
          <Text span size="xs" c="dimmed" className="tabular">
            {tookText(attempt.duration_ms)}
          </Text>
        )}
        {attempt.posts > 1 && <Chip>{t("deliveries.posts", { count: attempt.posts })}</Chip>}
        {attempt.manual && <Chip>{t("deliveries.manual")}</Chip>}
        <Text span size="xs" c="dimmed" ml="auto" className="tabular">
          <time
            dateTime={attempt.started_at}
            title={exactTime(attempt.started_at, account.time_zone)}
          >
            {clockSeconds(attempt.started_at, account.time_zone)}
          </time>
        </Text>
      </UnstyledButton>
      <div id={details} className={styles["attemptBody"]} hidden={!opened}>
        {opened && <Exchange attempt={attempt} />}
      </div>
    </li>
  );
}

/** The answer in words. Open, it has the look of a state; folded, it is short. */
function Outcome({ attempt, opened }: { attempt: Attempt; opened: boolean }) {
  const { t } = useTranslation();
  if (attempt.duration_ms === null) {
    return <Status tone="info">{t("delivery_state.sending")}</Status>;
  }
  const success = isSuccess(attempt);
  if (opened) return <Status tone={success ? "ok" : "bad"}>{answerWords(attempt)}</Status>;
  return (
    <Text span c={success ? "ok" : "bad"} className="tabular" truncate>
      {errorWords(attempt)}
    </Text>
  );
}

/** Target, answer and headers of an attempt. */
function Exchange({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation();
  const { response_excerpt: answer, ip } = attempt;
  return (
    <>
      <Text size="xs" ff="monospace" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        POST {attempt.request_url} {ip !== null && `(${ip})`}
      </Text>
      {answer !== null && answer !== "" && (
        <Code block tabIndex={0} className={styles["answer"] ?? ""}>
          {answer}
        </Code>
      )}
      <Group gap="md" align="flex-start">
        <Headers title={t("deliveries.request_headers")} headers={attempt.request_headers}>
          {t("deliveries.signature_hidden")}
        </Headers>
        <Headers title={t("deliveries.response_headers")} headers={attempt.response_headers} />
      </Group>
    </>
  );
}

interface HeadersProps {
  title: string;
  headers: Record<string, string> | null;
  /** Note below the headers. */
  children?: string;
}

function Headers({ title, headers, children }: HeadersProps) {
  if (headers === null) return null;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details className={styles["headers"]}>
      <summary>
        {title} <span className={styles["dim"]}>{lines.length}</span>
      </summary>
      <Code block tabIndex={0} className={styles["answer"] ?? ""}>
        {lines.join("\n")}
      </Code>
      {children !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          {children}
        </Text>
      )}
    </details>
  );
}
