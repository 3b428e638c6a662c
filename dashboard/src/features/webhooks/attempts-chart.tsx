import { Tooltip, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../lib/session.ts";
import { clockTime } from "../../lib/time.ts";
import type { SubscriptionStats } from "./api.ts";
import styles from "./webhooks.module.css";

type Hour = SubscriptionStats["hours"][number];

const barWidth = 6;
const step = 9;
const height = 40;
const hourMs = 3_600_000;

/** `9:00–10:00` in the account's time zone. */
function useSpan(): (hour: Hour) => string {
  const { account } = useSession();
  return ({ starts_at: start }) => {
    const end = new Date(Date.parse(start) + hourMs).toISOString();
    return `${clockTime(start, account.time_zone)}–${clockTime(end, account.time_zone)}`;
  };
}

/** Attempts of 24 hours: an axis, a bar per hour, a tooltip, and a table for screen readers. */
export function AttemptsChart({ stats }: { stats: SubscriptionStats }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { hours } = stats;
  const most = Math.max(...hours.map(({ attempts }) => attempts), 1);
  const marks = [hours[0], hours[12]].filter((hour) => hour !== undefined);
  return (
    <div className={styles["chart"]}>
      <div className={`${styles["axis"]} ${styles["scale"]}`} aria-hidden>
        <span>{most}</span>
        <span>0</span>
      </div>
      <Bars stats={stats} most={most} />
      <div className={`${styles["axis"]} ${styles["hours"]}`} aria-hidden>
        {marks.map(({ starts_at: start }) => (
          <span key={start}>{clockTime(start, account.time_zone)}</span>
        ))}
        <span>{t("stats.now")}</span>
      </div>
      <VisuallyHidden>
        <HourTable hours={hours} />
      </VisuallyHidden>
    </div>
  );
}

/** @param most attempts of the busiest hour */
function Bars({ stats, most }: { stats: SubscriptionStats; most: number }) {
  const { t } = useTranslation();
  const span = useSpan();
  const [hovered, setHovered] = useState<Hour | null>(null);
  const { hours, attempts, failed } = stats;
  const width = hours.length * step - (step - barWidth);
  const words = (hour: Hour): string =>
    `${span(hour)}: ${t("stats.hour", { count: hour.attempts, failed: hour.failed })}`;
  return (
    <Tooltip.Floating disabled={hovered === null} label={hovered !== null && words(hovered)}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t("stats.spark", { attempts, failed })}
      >
        {hours.map((hour, index) => (
          <g
            key={hour.starts_at}
            onMouseEnter={() => setHovered(hour)}
            onMouseLeave={() => setHovered(null)}
          >
            <rect x={index * step} width={step} height={height} fill="transparent" />
            <Bar hour={hour} x={index * step} most={most} />
          </g>
        ))}
      </svg>
    </Tooltip.Floating>
  );
}

function HourTable({ hours }: { hours: Hour[] }) {
  const { t } = useTranslation();
  const span = useSpan();
  return (
    <table>
      <caption>{t("stats.title")}</caption>
      <thead>
        <tr>
          <th>{t("stats.hours")}</th>
          <th>{t("deliveries.attempts")}</th>
          <th>{t("stats.failed")}</th>
        </tr>
      </thead>
      <tbody>
        {hours.map((hour) => (
          <tr key={hour.starts_at}>
            <th>{span(hour)}</th>
            <td>{hour.attempts}</td>
            <td>{hour.failed}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface BarProps {
  hour: Hour;
  x: number;
  /** Attempts of the busiest hour. */
  most: number;
}

/**
 * Successes in indigo below the failures in red. Minimum heights keep one failure among many
 * visible, and one attempt beside a busy hour.
 */
function Bar({ hour: { attempts, failed }, x, most }: BarProps) {
  if (attempts === 0) {
    return (
      <rect x={x} y={height - 1} width={barWidth} height={1} fill="var(--parley-line-strong)" />
    );
  }
  const whole = Math.max((attempts / most) * height, 3);
  const red = failed === 0 ? 0 : Math.max((failed / attempts) * whole, 2);
  const top = height - whole;
  return (
    <>
      <rect x={x} y={top} width={barWidth} height={whole} fill="var(--parley-accent)" />
      <rect x={x} y={top} width={barWidth} height={red} fill="var(--parley-bad-dot)" />
    </>
  );
}
