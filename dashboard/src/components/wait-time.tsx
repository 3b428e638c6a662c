import { IconClock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { waitLevel } from "../../../core/model/inbox-queue.ts";
import { useNow, waitText } from "../lib/time.ts";
import styles from "./status.module.css";

interface WaitTimeProps {
  /** Begin of the wait. */
  since: string;
  /** Minutes within which the account answers. */
  targetMinutes: number;
}

/** Duration of a wait: gray, amber from half of the answer target, red after the target. */
export function WaitTime({ since, targetMinutes }: WaitTimeProps) {
  const { t } = useTranslation();
  const ms = Math.max(0, useNow(15_000) - new Date(since).getTime());
  return (
    <span
      className={`${styles["wait"]} tabular`}
      data-wait={waitLevel(ms, targetMinutes)}
      title={t("inbox.waits")}
    >
      <IconClock size={13} stroke={1.75} aria-hidden />
      {waitText(ms)}
    </span>
  );
}
