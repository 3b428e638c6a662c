import { IconCalendarDown } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { callApi } from "../../lib/api.ts";
import { tellFailure } from "../../lib/notify.ts";

/** Button that downloads an appointment as a calendar file. */
export function CalendarFileButton({ id }: { id: number }) {
  const { t } = useTranslation();
  const file = useMutation({
    mutationFn: async () => await callApi("GET /appointments/:id/calendar-file", { id }),
  });
  return (
    <PendingButton
      size="xs"
      variant="default"
      leftSection={<IconCalendarDown size={14} aria-hidden />}
      pending={file.isPending}
      onClick={() =>
        file.mutate(undefined, {
          onSuccess: ({ file_name, content }) => download(file_name, content),
          onError: (error) => tellFailure(t("appointment.no_file"), error),
        })
      }
    >
      {t("appointment.to_calendar")}
    </PendingButton>
  );
}

function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "text/calendar" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
