import { Code, Text, Title, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconBook,
  IconChevronDown,
  IconChevronRight,
  IconShieldCheck,
  IconShieldX,
  IconSparkles,
  IconTool,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { TurnCall, TurnDetail, TurnStep } from "../../lib/agent-turns.ts";
import { tookText } from "../../lib/time.ts";
import { JsonText } from "../json-text.tsx";
import { turnWord } from "./turn-words.ts";
import styles from "./turn.module.css";

/** Steps of a turn as a waterfall, each with its calls and checks, and the knowledge it read. */
export function TurnTrace({ turn }: { turn: Pick<TurnDetail, "trace"> }) {
  const { t } = useTranslation();
  const { trace } = turn;
  const totalMs = Math.max(
    trace.reduce((sum, step) => sum + step.duration_ms, 0),
    1,
  );
  const bars = trace.map((step, index) => ({
    step,
    from: trace.slice(0, index).reduce((sum, { duration_ms: ms }) => sum + ms, 0) / totalMs,
    share: step.duration_ms / totalMs,
  }));
  return (
    <>
      <section aria-label={t("turns.trace")}>
        <Title order={3} mb="xs">
          {t("turns.trace")}
        </Title>
        {trace.length === 0 ? (
          <Text c="dimmed">{t("turns.no_steps")}</Text>
        ) : (
          <ol className={styles["trace"]}>
            {bars.map((bar) => (
              <Step key={bar.step.seq} {...bar} />
            ))}
          </ol>
        )}
      </section>
      <Knowledge calls={trace.flatMap((step) => step.calls)} />
    </>
  );
}

interface StepProps {
  step: TurnStep;
  /** Start and length of the step, as shares of all steps. */
  from: number;
  share: number;
}

function Step({ step, from, share }: StepProps) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure(false);
  const kind = step.provider_id === null ? "basic_step" : "model_step";
  const hasText = step.text !== null && step.text !== "";
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  const left = `${Math.min(from * 100, 97)}%`;
  return (
    <>
      <li>
        <UnstyledButton
          className={styles["row"] ?? ""}
          aria-expanded={opened}
          disabled={!hasText}
          onClick={toggle}
        >
          <IconSparkles size={17} stroke={1.75} className={styles["spark"]} aria-hidden />
          <span className={styles["name"]}>
            {t(`turns.${kind}`, { seq: step.seq })}
            {hasText && <Chevron size={14} aria-hidden />}
          </span>
          <span className={styles["lane"]} aria-hidden>
            <i
              data-failed={step.state === "failed" || undefined}
              style={{ insetInlineStart: left, width: `${share * 100}%` }}
            />
          </span>
          <span className={styles["ms"]}>
            {step.state === "running" ? "…" : tookText(step.duration_ms)}
          </span>
        </UnstyledButton>
        {opened && hasText && (
          <div className={styles["said"]} dir="auto">
            {step.text}
          </div>
        )}
        {step.failure !== null && (
          <p className={styles["refused"]}>{turnWord("failure", step.failure)}</p>
        )}
      </li>
      {step.calls.map((call) => (
        <Call key={call.position} call={call} />
      ))}
      <Checks step={step} />
    </>
  );
}

/** Call of a tool, with its input and its result where the row is opened. */
function Call({ call }: { call: TurnCall }) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure(false);
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  const isProposed = call.code === "proposed";
  const isRefused = call.code !== "ok" && !isProposed;
  return (
    <li data-opened={opened || undefined}>
      <UnstyledButton className={styles["row"] ?? ""} aria-expanded={opened} onClick={toggle}>
        <IconTool size={17} stroke={1.75} className={styles["tool"]} aria-hidden />
        <span className={styles["name"]}>
          {turnWord("tool", call.tool)} <Chevron size={14} aria-hidden />
        </span>
        <span className={styles["verdict"]} data-refused={isRefused || undefined}>
          {isRefused
            ? turnWord("refusal", call.code)
            : t(isProposed ? "turns.call_proposed" : "turns.call_done")}
          {call.untold && ` · ${t("turns.untold")}`}
        </span>
      </UnstyledButton>
      {opened && (
        <div className={styles["sides"]}>
          <Side title={t("turns.asked")} value={call.input} />
          <Side title={t("turns.got")} value={call.result} />
        </div>
      )}
    </li>
  );
}

function Side({ title, value }: { title: string; value: unknown }) {
  const { t } = useTranslation();
  return (
    <div className={styles["side"]}>
      <span>{title}</span>
      <Code block tabIndex={0} role="group" aria-label={title}>
        {value === null || value === undefined ? (
          t("turns.aged")
        ) : (
          <JsonText value={JSON.stringify(value, null, 2)} />
        )}
      </Code>
    </div>
  );
}

/** Verdict of the checks on a text: passed, or the check that refused it with the missing fact. */
function Checks({ step }: { step: TurnStep }) {
  const { t } = useTranslation();
  const isReply = step.state === "done" && step.calls.length === 0;
  if (step.guard === null && !isReply) return null;
  const Picture = step.guard === null ? IconShieldCheck : IconShieldX;
  return (
    <li>
      <div className={styles["row"]}>
        <Picture
          size={17}
          stroke={1.75}
          className={styles[step.guard === null ? "passed" : "failed"]}
          aria-hidden
        />
        <span className={styles["name"]}>
          {t(step.guard === null ? "turns.checks_passed" : "turns.checks_failed")}
        </span>
        {step.guard !== null && (
          <span className={styles["verdict"]} data-refused>
            {turnWord("guard", step.guard)}
          </span>
        )}
      </div>
      {step.repair !== null && (
        <p className={styles["refused"]} dir="auto">
          {step.repair}
        </p>
      )}
    </li>
  );
}

/** Questions of the knowledge that searches returned. */
function Knowledge({ calls }: { calls: TurnCall[] }) {
  const { t } = useTranslation();
  const found = calls
    .filter(({ tool, code }) => tool === "search_knowledge" && code === "ok")
    .flatMap(
      ({ result }) =>
        (result as { items?: { id: string; question: string }[] } | null)?.items ?? [],
    );
  const items = [...new Map(found.map((item) => [item.id, item])).values()];
  if (items.length === 0) return null;
  return (
    <section aria-label={t("turns.knowledge")}>
      <Title order={3} mb="xs">
        {t("turns.knowledge")}
      </Title>
      <ol className={styles["trace"]}>
        {items.map(({ id, question }) => (
          <li key={id}>
            <div className={styles["row"]}>
              <IconBook size={17} stroke={1.75} aria-hidden />
              <span className={styles["name"]} dir="auto">
                {question}
              </span>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
