import { Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { WallField } from "../../components/wall-field.tsx";
import { useSession } from "../../lib/session.ts";
import { addDays, momentAt, wallTime } from "../../lib/zoned-time.ts";

interface SnoozeDialogProps {
  onSnooze: (until: string) => void;
  onClose: () => void;
}

/** Dialog that asks for the day and the time at which a conversation comes back. */
export function SnoozeDialog({ onSnooze, onClose }: SnoozeDialogProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const [wall, setWall] = useState(() => {
    const today = wallTime(new Date().toISOString(), account.time_zone).date;
    return `${addDays(today, 1)}T09:00`;
  });
  const [error, setError] = useState<string | null>(null);
  const submit = (): void => {
    const [date = "", time = ""] = wall.split("T");
    const [hours = 0, minutes = 0] = time.split(":").map(Number);
    if (date === "") return;
    const until = momentAt({ date, minutes: hours * 60 + minutes }, account.time_zone);
    if (Date.parse(until) <= Date.now()) {
      setError(t("snooze.past"));
      return;
    }
    onClose();
    onSnooze(until);
  };
  return (
    <Dialog title={t("snooze.pick_title")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <WallField
            kind="datetime"
            label={t("snooze.until")}
            value={wall}
            onChange={setWall}
            error={error}
            required
            withAsterisk={false}
            data-autofocus
          />
          <FormFoot error={null} submit={t("snooze.action")} pending={false} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
