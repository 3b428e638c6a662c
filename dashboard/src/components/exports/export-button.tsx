import { IconFileDownload } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStartExport, type ExportBody } from "../../lib/exports.ts";
import { tellFailure } from "../../lib/notify.ts";
import { IconAction } from "../icon-action.tsx";
import { PendingButton } from "../pending-button.tsx";
import { ExportDialog } from "./export-dialog.tsx";

interface Exporting {
  start: () => void;
  isPending: boolean;
  /** The dialog with the progress; null before the start. */
  dialog: ReactNode;
}

/** An export that a press starts, and its dialog. */
export function useExport(body: ExportBody): Exporting {
  const { t } = useTranslation();
  const start = useStartExport();
  const [id, setId] = useState<number | null>(null);
  return {
    start: () =>
      start.mutate(body, {
        onSuccess: (made) => setId(made.id),
        onError: (error) => tellFailure(t("exports.not_started"), error),
      }),
    isPending: start.isPending,
    dialog: id !== null && <ExportDialog id={id} kind={body.kind} onClose={() => setId(null)} />,
  };
}

interface ExportButtonProps {
  body: ExportBody;
  /** True where there is no room for a word. */
  isIcon?: boolean;
}

/** Button that exports rows, with the filters of the list beside it. */
export function ExportButton({ body, isIcon = false }: ExportButtonProps) {
  const { t } = useTranslation();
  const { start, isPending, dialog } = useExport(body);
  return (
    <>
      {isIcon ? (
        <IconAction
          label={t(`exports.title.${body.kind}`)}
          variant="default"
          size={32}
          onClick={isPending ? undefined : start}
        >
          <IconFileDownload size={16} aria-hidden />
        </IconAction>
      ) : (
        <PendingButton
          variant="default"
          leftSection={<IconFileDownload size={16} aria-hidden />}
          pending={isPending}
          onClick={start}
        >
          {t("exports.action")}
        </PendingButton>
      )}
      {dialog}
    </>
  );
}
