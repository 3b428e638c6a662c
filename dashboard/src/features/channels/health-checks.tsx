import { Paper, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Moment } from "../../components/moment.tsx";
import { useSession } from "../../lib/session.ts";
import { dayText, tookText, useNow } from "../../lib/time.ts";
import type { Channel } from "./api.ts";
import styles from "./channels.module.css";

type Outcome = "ok" | "warn" | "bad" | "open";

interface HealthCheck {
  key: string;
  outcome: Outcome;
  title: string;
  /** The consequence of a check that does not pass. */
  text?: string;
  aside?: ReactNode;
}

/** The checks of a channel, each with its figure. */
export function HealthChecks({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const checks = useChecks(channel);
  const passed = checks.filter(({ outcome }) => outcome === "ok").length;
  return (
    <Paper withBorder component="section" aria-label={t("channels.checks")}>
      <div className={styles["cardHead"]}>
        <Title order={2} size="h3">
          {t("channels.checks_pass", { passed, count: checks.length })}
        </Title>
        <Text size="xs" c="dimmed">
          {channel.checked_at === null ? (
            t("channels.not_checked")
          ) : (
            <>
              {t("channels.checked_at")} <Moment at={channel.checked_at} />
            </>
          )}
        </Text>
      </div>
      <ul className={styles["checks"]}>
        {checks.map(({ key, outcome, title, text, aside }) => (
          <li key={key} data-outcome={outcome}>
            <OutcomeIcon outcome={outcome} />
            <span>
              {title}
              {text !== undefined && <small className={styles["checkText"]}>{text}</small>}
            </span>
            <small>{aside}</small>
          </li>
        ))}
      </ul>
    </Paper>
  );
}

const icons = {
  ok: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  open: IconCircle,
};

function OutcomeIcon({ outcome }: { outcome: Outcome }) {
  const { t } = useTranslation();
  const Picture = icons[outcome];
  return <Picture size={18} role="img" aria-label={t(`channels.outcome.${outcome}`)} />;
}

function useChecks(channel: Channel): HealthCheck[] {
  return [
    useTokenCheck(channel),
    ...useTrafficChecks(channel),
    useAccountCheck(channel),
    useFieldCheck(channel),
    useParkedCheck(channel),
  ];
}

/** Time in ms before the end of a token from which it needs somebody. */
const soonMs = 14 * 86_400_000;

function useTokenCheck({ token }: Channel): HealthCheck {
  const { t } = useTranslation();
  const now = useNow(60_000);
  const { account } = useSession();
  const title = t("channels.check_token");
  if (token === null)
    return { key: "token", outcome: "open", title, aside: t("channels.no_token") };
  if (token.missing_scopes.length > 0) {
    const text = token.missing_scopes.join(", ");
    return { key: "token", outcome: "bad", title: t("connecting.missing_scopes"), text };
  }
  const { expires_at: end } = token;
  if (end === null)
    return { key: "token", outcome: "ok", title, aside: t("channels.token_endless") };
  const left = new Date(end).getTime() - now;
  const day = dayText(end, account.time_zone);
  if (left > soonMs) {
    return { key: "token", outcome: "ok", title, aside: t("channels.token_until", { day }) };
  }
  if (left <= 0) {
    const text = t("channels.fix.token_expired");
    return { key: "token", outcome: "bad", title: t("channels.reason.token_expired"), text };
  }
  const count = Math.max(1, Math.floor(left / 86_400_000));
  const text = t("channels.token_soon_text", { day });
  return { key: "token", outcome: "warn", title: t("channels.token_soon", { count }), text };
}

function useTrafficChecks(channel: Channel): HealthCheck[] {
  const { t } = useTranslation();
  const { last_webhook_at: came, last_sent_at: sent, lag_p95_ms: lag, held } = channel;
  const never = t("channels.never");
  return [
    {
      key: "in",
      outcome: came === null ? "open" : "ok",
      title: t("channels.check_in"),
      aside: came === null ? never : <Moment at={came} />,
      ...(came === null && { text: t("channels.check_in_text") }),
    },
    {
      key: "lag",
      outcome: lag === null ? "open" : lag > slowMs ? "warn" : "ok",
      title: t("channels.check_lag"),
      aside: lag === null ? "–" : t("channels.p95", { time: tookText(lag) }),
    },
    {
      key: "out",
      outcome: held > 0 ? "warn" : sent === null ? "open" : "ok",
      title: t("channels.check_out"),
      aside: sent === null ? never : <Moment at={sent} />,
      ...(held > 0 && { text: t("channels.held_short", { count: held }) }),
    },
  ];
}

/** Time in ms from a webhook to its event that people would notice. */
const slowMs = 5_000;

/** Meta's view of the account: its status, and troubles in Meta's words. */
function useAccountCheck({ driver, facts }: Channel): HealthCheck {
  const { t } = useTranslation();
  const title = t(driver === "whatsapp_cloud" ? "channels.check_number" : "channels.check_page");
  if (facts === null) return { key: "account", outcome: "open", title, aside: "–" };
  const [problem] = facts.problems;
  const aside = facts.verified_name ?? facts.display_name;
  if (problem === undefined) return { key: "account", outcome: "ok", title, aside };
  const text = [problem.text, problem.solution].filter(Boolean).join(" ");
  return { key: "account", outcome: "warn", title, text, aside };
}

function useFieldCheck({ fields, facts }: Channel): HealthCheck {
  const { t } = useTranslation();
  const title = t("channels.check_fields");
  if (facts?.is_subscribed === false) {
    const text = t("channels.fix.not_subscribed");
    return { key: "fields", outcome: "bad", title: t("channels.reason.not_subscribed"), text };
  }
  const seen = fields.filter((field) => field.seen_at !== null).length;
  const aside = t("channels.fields_seen", { seen, count: fields.length });
  return { key: "fields", outcome: seen === 0 && fields.length > 0 ? "open" : "ok", title, aside };
}

function useParkedCheck({ parked }: Channel): HealthCheck {
  const { t } = useTranslation();
  return {
    key: "parked",
    outcome: parked === 0 ? "ok" : "warn",
    title: t(parked === 0 ? "channels.check_parked" : "channels.parked"),
    ...(parked > 0 && { aside: t("channels.parked_count", { count: parked }) }),
    ...(parked > 0 && { text: t("channels.check_parked_text") }),
  };
}
