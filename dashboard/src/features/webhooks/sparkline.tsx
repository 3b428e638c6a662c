import { useTranslation } from "react-i18next";
import type { SubscriptionStats } from "./api.ts";

const barWidth = 4;
const gap = 1;
const height = 24;

/** The attempts of 24 hours, a bar per hour with its failures in red at the bottom. */
export function Sparkline({ stats }: { stats: SubscriptionStats }) {
  const { t } = useTranslation();
  const { hours, attempts, failed } = stats;
  const most = Math.max(...hours.map((hour) => hour.attempts), 1);
  const width = hours.length * (barWidth + gap) - gap;
  return (
    <svg
      role="img"
      aria-label={t("stats.spark", { attempts, failed })}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      display="block"
    >
      {hours.map((hour, index) => (
        <Bar key={hour.starts_at} hour={hour} x={index * (barWidth + gap)} most={most} />
      ))}
    </svg>
  );
}

interface BarProps {
  hour: SubscriptionStats["hours"][number];
  x: number;
  /** Attempts of the busiest hour. */
  most: number;
}

function Bar({ hour: { attempts, failed }, x, most }: BarProps) {
  // Minimum heights: one failure among many stays visible, and so does one attempt beside a busy
  // hour.
  const whole = attempts === 0 ? 1 : Math.max((attempts / most) * height, 3);
  const red = failed === 0 ? 0 : Math.max((failed / attempts) * whole, 2);
  const color = attempts === 0 ? "var(--mantine-color-default-border)" : "var(--parley-accent)";
  return (
    <>
      <rect x={x} y={height - whole} width={barWidth} height={whole} fill={color} />
      <rect x={x} y={height - red} width={barWidth} height={red} fill="var(--parley-bad-dot)" />
    </>
  );
}
