import "@mantine/dates/styles.layer.css";
import "dayjs/locale/es.js";
import { Center } from "@mantine/core";
import { DatePicker } from "@mantine/dates";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "./dialog.tsx";
import { useSession } from "../lib/session.ts";
import { momentAt, wallTime } from "../lib/zoned-time.ts";

interface DayDialogProps {
  /** The day in view at first, `2026-03-01`; today for null. */
  day: string | null;
  /** Moment at which the conversation began; there is nothing before it. */
  from: string;
  /** Takes the moment at which the day begins in the account's time zone. */
  onPick: (moment: string) => void;
  onClose: () => void;
}

/** Calendar of the conversation. The thread goes to the picked day. */
export function DayDialog({ day, from, onPick, onClose }: DayDialogProps) {
  const { t, i18n } = useTranslation();
  const { time_zone: zone } = useSession().account;
  const [today] = useState(() => wallTime(new Date().toISOString(), zone).date);
  const start = day ?? today;
  return (
    <Dialog
      title={t("find.day")}
      size={320}
      onClose={onClose}
      styles={{ content: { "--mantine-primary-color-contrast": "var(--parley-on-accent)" } }}
    >
      <Center>
        <DatePicker
          locale={i18n.language}
          previousLabel={t("common.previous")}
          nextLabel={t("common.next")}
          minDate={wallTime(from, zone).date}
          maxDate={today}
          defaultDate={start}
          value={day}
          highlightToday
          getDayProps={(date) => (date === start ? { "data-autofocus": true } : {})}
          onChange={(date) => {
            if (date === null) return;
            onPick(momentAt({ date, minutes: 0 }, zone));
            onClose();
          }}
          hideOutsideDates
          weekendDays={[]}
        />
      </Center>
    </Dialog>
  );
}
