import { Autocomplete, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { maxReasonLength } from "../../../../core/model/pipeline.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import type { Card } from "./columns.ts";

interface LostModalProps {
  card: Card;
  /** Reasons that the pipeline offers. */
  reasons: string[];
  onClose: () => void;
  onSave: (reason: string) => void;
}

/** Dialog that asks for the reason of a lost card: one of the pipeline's, or any other text. */
export function LostModal({ card, reasons, onClose, onSave }: LostModalProps) {
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  return (
    <Dialog
      onClose={onClose}
      title={t("pipelines.lost_title", { name: card.contact?.name ?? t("inbox.no_contact") })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(reason.trim());
          onClose();
        }}
      >
        <Stack gap="sm">
          <Autocomplete
            data-autofocus
            label={t("pipelines.reason")}
            description={t(reasons.length === 0 ? "pipelines.reason_new" : "pipelines.reason_text")}
            maxLength={maxReasonLength}
            data={reasons}
            value={reason}
            onChange={setReason}
          />
          <FormFoot
            error={null}
            submit={t("pipelines.lose")}
            pending={false}
            disabled={reason.trim() === ""}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
