import { Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "../../lib/session.ts";
import { clockDuration, dayAndTime, exactTime, hoursAndMinutes, useNow } from "../../lib/time.ts";
import type { Conversation } from "./api.ts";
import styles from "./composer.module.css";
import { useReplyWindow, type ReplyWindow } from "./reply-window.ts";

/** From this rest on the ring turns amber, and seconds count. */
const soonMs = 3_600_000;
const radius = 5.5;
const round = 2 * Math.PI * radius;

/** Remaining time for free text, as a ring with words. Nothing where the window has no end. */
export function WindowLeft({ conversation }: { conversation: Conversation }) {
  const { open, end, ...rest } = useReplyWindow(conversation);
  if (!open || end === null) return null;
  return <Ring end={end} {...rest} />;
}

interface RingProps extends Pick<ReplyWindow, "wholeMs" | "isForPeople"> {
  end: string;
}

function Ring({ end, wholeMs, isForPeople }: RingProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const left = Math.max(0, new Date(end).getTime() - useNow(1_000));
  const soon = left < soonMs;
  const time = soon ? clockDuration(left) : hoursAndMinutes(left);
  const label = t(isForPeople ? "composer.people_text" : "composer.window_text", {
    end: dayAndTime(end, account.time_zone),
  });
  const share = Math.min(1, left / wholeMs);
  return (
    <Tooltip label={label} multiline maw={280}>
      <span className={styles["window"]} data-soon={soon || undefined}>
        <svg viewBox="0 0 14 14" width={14} height={14} aria-hidden>
          <circle cx={7} cy={7} r={radius} />
          <circle
            cx={7}
            cy={7}
            r={radius}
            strokeDasharray={round}
            strokeDashoffset={round * (1 - share)}
          />
        </svg>
        <time dateTime={end} title={exactTime(end, account.time_zone)}>
          <span className={styles["long"]}>
            {t(isForPeople ? "composer.people_for" : "composer.open_for", { time })}
          </span>
          <span className={styles["short"]}>{t("composer.left", { time })}</span>
        </time>
      </span>
    </Tooltip>
  );
}
