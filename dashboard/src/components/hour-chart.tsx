import { Tooltip, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hourMs } from "../../../core/model/durations.ts";
import { useSession } from "../lib/session.ts";
import { clockTime } from "../lib/time.ts";
import styles from "./hour-chart.module.css";

/** Figures of one hour, in the order of the chart's series. */
export interface ChartHour {
  /** ISO 8601. */
  startsAt: string;
  values: readonly number[];
}

/** A part of each bar. The first series stands at the bottom. */
export interface ChartSeries {
  /** Head of its column in the table for screen readers. */
  name: string;
  /** CSS colour. */
  color: string;
}

interface HourChartProps {
  hours: readonly ChartHour[];
  series: readonly ChartSeries[];
  /** Caption of the table for screen readers. */
  title: string;
  /** Sentence that sums the picture up. */
  label: string;
  /** Words of the tooltip, after the hours that it names. */
  words: (hour: ChartHour) => string;
  /** The most that an hour can have: a line over the bars. Its words belong into `label` too. */
  limit?: number | undefined;
  /** Figures of the table's columns, where they are not those of the bars. */
  columns?: { heads: readonly string[]; cells: (hour: ChartHour) => readonly number[] };
}

const barWidth = 6;
const step = 9;
const height = 40;
/** Room for the line of a limit that is far above the bars. */
const farHeight = 18;
/** A limit up to this many times the busiest hour is drawn to scale. */
const nearTimes = 2;
/** Least height of a bar, and of each later part of it, so that one of many stays visible. */
const leastBar = 3;
const leastPart = 2;

/** `9:00–10:00` in the account's time zone. */
function useSpan(): (hour: ChartHour) => string {
  const { account } = useSession();
  return ({ startsAt }) => {
    const end = new Date(Date.parse(startsAt) + hourMs).toISOString();
    return `${clockTime(startsAt, account.time_zone)}–${clockTime(end, account.time_zone)}`;
  };
}

function sumOf({ values }: ChartHour): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Figures of 24 hours: an axis, a bar per hour, a tooltip, and a table for screen readers. */
export function HourChart(props: HourChartProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { hours, limit } = props;
  const scale = scaleOf(hours, limit);
  const marks = [hours[0], hours[12]].filter((hour) => hour !== undefined);
  return (
    <div className={styles["chart"]}>
      <div className={`${styles["axis"]} ${styles["scale"]}`} aria-hidden>
        {limit !== undefined && scale.head > 0 && <Short value={limit} />}
        <span className={styles["most"]}>{scale.most}</span>
        <span>0</span>
      </div>
      <Bars {...props} scale={scale} />
      <div className={`${styles["axis"]} ${styles["hours"]}`} aria-hidden>
        {marks.map(({ startsAt }) => (
          <span key={startsAt}>{clockTime(startsAt, account.time_zone)}</span>
        ))}
        <span>{t("stats.now")}</span>
      </div>
      <VisuallyHidden>
        <HourTable {...props} />
      </VisuallyHidden>
    </div>
  );
}

interface Scale {
  /** Value at the top of the bars' height. */
  most: number;
  /** Height above the bars, for a limit that is not drawn to scale. */
  head: number;
}

function scaleOf(hours: readonly ChartHour[], limit: number | undefined): Scale {
  const busiest = Math.max(...hours.map(sumOf), 1);
  if (limit === undefined) return { most: busiest, head: 0 };
  const isNear = limit <= busiest * nearTimes;
  return isNear ? { most: Math.max(busiest, limit), head: 0 } : { most: busiest, head: farHeight };
}

/** `288K` for 288,000. */
function Short({ value }: { value: number }) {
  const { i18n } = useTranslation();
  return <span>{new Intl.NumberFormat(i18n.language, { notation: "compact" }).format(value)}</span>;
}

function Bars({ hours, series, label, words, limit, scale }: HourChartProps & { scale: Scale }) {
  const span = useSpan();
  const [hovered, setHovered] = useState<ChartHour | null>(null);
  const width = hours.length * step - (step - barWidth);
  const whole = scale.head + height;
  return (
    <Tooltip.Floating
      disabled={hovered === null}
      label={hovered !== null && `${span(hovered)}: ${words(hovered)}`}
    >
      <svg
        width={width}
        height={whole}
        viewBox={`0 ${-scale.head} ${width} ${whole}`}
        role="img"
        aria-label={label}
      >
        {hours.map((hour, index) => (
          <g
            key={hour.startsAt}
            onMouseEnter={() => setHovered(hour)}
            onMouseLeave={() => setHovered(null)}
          >
            <rect x={index * step} width={step} height={height} fill="transparent" />
            <Bar hour={hour} series={series} x={index * step} most={scale.most} />
          </g>
        ))}
        {limit !== undefined && <LimitLine limit={limit} width={width} scale={scale} />}
      </svg>
    </Tooltip.Floating>
  );
}

/** A dashed line; two strokes break it where it is not to scale. */
function LimitLine({ limit, width, scale }: { limit: number; width: number; scale: Scale }) {
  const isFar = scale.head > 0;
  const y = isFar ? 1 - scale.head : Math.max(1, height - (limit / scale.most) * height);
  return (
    <g className={styles["limit"]}>
      <line x1={0} x2={width} y1={y} y2={y} strokeDasharray="4 3" />
      {isFar && <path d={`M0 ${y + 10}l5 -4m-5 7l5 -4`} />}
    </g>
  );
}

function HourTable({ hours, series, title, columns }: HourChartProps) {
  const { t } = useTranslation();
  const span = useSpan();
  const heads = columns?.heads ?? series.map(({ name }) => name);
  const cells = columns?.cells ?? (({ values }: ChartHour) => values);
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th>{t("stats.hours")}</th>
          {heads.map((head) => (
            <th key={head}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hours.map((hour) => (
          <tr key={hour.startsAt}>
            <th>{span(hour)}</th>
            {cells(hour).map((value, index) => (
              <td key={heads[index]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface BarProps {
  hour: ChartHour;
  series: readonly ChartSeries[];
  x: number;
  /** Value at the full height. */
  most: number;
}

/** The parts of an hour, the later ones drawn over the top of the first. */
function Bar({ hour, series, x, most }: BarProps) {
  const sum = sumOf(hour);
  if (sum === 0) {
    return (
      <rect x={x} y={height - 1} width={barWidth} height={1} fill="var(--parley-line-strong)" />
    );
  }
  const whole = Math.max((sum / most) * height, leastBar);
  return hour.values.map((value, index) => {
    // From here on the top belongs to this part and the ones after it.
    const above = hour.values.slice(index).reduce((total, one) => total + one, 0);
    if (value === 0 || above === 0) return null;
    const part = index === 0 ? whole : Math.max((above / sum) * whole, leastPart);
    return (
      <rect
        key={series[index]?.name}
        x={x}
        y={height - whole}
        width={barWidth}
        height={part}
        fill={series[index]?.color}
      />
    );
  });
}
