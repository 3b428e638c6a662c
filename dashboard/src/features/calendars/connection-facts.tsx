import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Moment } from "../../components/moment.tsx";
import { useSession } from "../../lib/session.ts";
import { dayText, exactTime } from "../../lib/time.ts";
import type { Connection } from "./api.ts";
import styles from "./calendars.module.css";

/** Facts of a connection: its last sync, and the way in which changes arrive. */
export function ConnectionFacts({ connection }: { connection: Connection }) {
  const { t } = useTranslation();
  const { last_synced_at: synced, created_at, state, calendly } = connection;
  return (
    <dl className={styles["facts"]}>
      <Fact label={t("calendars.last_sync")}>
        {synced === null ? t("calendars.never_synced") : <Moment at={synced} />}
      </Fact>
      {state === "connected" && <Mode connection={connection} />}
      {calendly !== null && (
        <Fact label={t("calendars.scope")}>{t(`calendars.scopes.${calendly.scope}`)}</Fact>
      )}
      <Fact label={t("calendars.since")}>
        <Day at={created_at} />
      </Fact>
    </dl>
  );
}

/** Push or polling, the reason to poll, and the end of the push. */
function Mode({ connection }: { connection: Connection }) {
  const { t } = useTranslation();
  const { mode, mode_reason: reason, push_expires_at: end } = connection;
  return (
    <>
      <Fact label={t("calendars.changes")} isWide={mode === "polling"}>
        {t(`calendars.mode.${mode}`)}
        {mode === "polling" && reason !== null && (
          <small>{t(`calendars.mode_reason.${reason}`)}</small>
        )}
      </Fact>
      {mode === "push" && end !== null && (
        <Fact label={t("calendars.renewal")}>
          <Day at={end} />
        </Fact>
      )}
    </>
  );
}

function Day({ at }: { at: string }) {
  const { account } = useSession();
  return (
    <time dateTime={at} title={exactTime(at, account.time_zone)}>
      {dayText(at, account.time_zone)}
    </time>
  );
}

interface FactProps {
  label: string;
  /** True for a value of several words. */
  isWide?: boolean;
  children: ReactNode;
}

function Fact({ label, isWide = false, children }: FactProps) {
  return (
    <div className={styles["fact"]} data-wide={isWide || undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
