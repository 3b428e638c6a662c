import { IconClock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNow, waitText } from "../lib/time.ts";
import styles from "./status.module.css";

/** Time in ms within which an account answers, as long as it has no target of its own. */
const usualTargetMs = 30 * 60_000;

interface WaitTimeProps {
  /** Begin of the wait. */
  since: string;
  targetMs?: number;
}

/** Duration of a wait: gray, amber from half of the answer target, red after the target. */
export function WaitTime({ since, targetMs = usualTargetMs }: WaitTimeProps) {
  const { t } = useTranslation();
  const ms = Math.max(0, useNow(15_000) - new Date(since).getTime());
  const wait = ms >= targetMs ? "late" : ms >= targetMs / 2 ? "soon" : "calm";
  return (
    <span className={`${styles["wait"]} tabular`} data-wait={wait} title={t("inbox.waits")}>
      <IconClock size={13} stroke={1.75} aria-hidden />
      {waitText(ms)}
    </span>
  );
}
