import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { shortWait, waitWeight, type TimelineStep } from "./timeline.ts";
import styles from "./webhooks.module.css";

interface DeliveryTimelineProps {
  steps: TimelineStep[];
  /** Part of the wait under way that is over, 0 to 1; null where nothing waits. */
  progress: number | null;
}

/** The attempts of a delivery in a row. Distances follow the logarithm of the waits. */
export function DeliveryTimeline({ steps, progress }: DeliveryTimelineProps) {
  const { t } = useTranslation();
  const last = steps.at(-1);
  if (last === undefined) return null;
  const waiting = steps.findIndex(({ waited, waitMs, outcome }) => {
    return outcome !== "planned" && waitMs !== null && !waited;
  });
  return (
    <ol className={styles["timeline"]} aria-label={t("deliveries.timeline")}>
      {steps.map((step, index) => {
        const isNext = progress !== null && waiting >= 0 && index === waiting + 1;
        return (
          <Fragment key={index}>
            <Dot step={step} progress={isNext ? progress : null} />
            {step.waitMs !== null && (
              <Wait
                waitMs={step.waitMs}
                waited={step.waited}
                progress={index === waiting ? progress : null}
              />
            )}
          </Fragment>
        );
      })}
      {last.waitMs !== null && <li className={styles["end"]}>{t("deliveries.end")}</li>}
    </ol>
  );
}

/** Circumference of the ring around the next attempt. */
const ring = 2 * Math.PI * 12;

interface DotProps {
  step: TimelineStep;
  /** Part of the wait before this attempt that is over; null where it does not wait. */
  progress: number | null;
}

function Dot({ step: { number, outcome }, progress }: DotProps) {
  const { t } = useTranslation();
  const words = t(`deliveries.step.${outcome}`, { number });
  const look = progress === null ? outcome : "next";
  return (
    <li className={styles["stop"]} data-outcome={look} title={words}>
      <span role="img" aria-label={words}>
        {progress !== null && (
          <svg viewBox="0 0 26 26" fill="none" strokeWidth="2" aria-hidden>
            <circle cx="13" cy="13" r="12" stroke="var(--parley-warn-soft)" />
            <circle
              cx="13"
              cy="13"
              r="12"
              stroke="var(--parley-warn-dot)"
              strokeDasharray={ring}
              strokeDashoffset={ring * (1 - progress)}
              transform="rotate(-90 13 13)"
            />
          </svg>
        )}
        {number}
      </span>
    </li>
  );
}

interface WaitProps {
  waitMs: number;
  waited: boolean;
  progress: number | null;
}

/** Line of a wait: solid once the wait is over, else dashed. */
function Wait({ waitMs, waited, progress }: WaitProps) {
  return (
    <li
      className={styles["wait"]}
      data-waited={waited || undefined}
      data-now={progress !== null || undefined}
      style={{ flexGrow: waitWeight(waitMs) }}
    >
      {progress !== null && <i style={{ width: `${progress * 100}%` }} />}
      <span>{shortWait(waitMs)}</span>
    </li>
  );
}
