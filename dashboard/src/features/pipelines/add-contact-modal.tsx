import { Select, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { ContactPicker } from "../../components/contact-picker.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { callApi } from "../../lib/api.ts";
import type { ContactRow } from "../../lib/contact.ts";
import { liveKeys } from "../../lib/live-changes.ts";

interface AddContactModalProps {
  pipeline: PipelineView;
  onClose: () => void;
}

/** Dialog that puts a contact into a stage of the pipeline. */
export function AddContactModal({ pipeline: { stages }, onClose }: AddContactModalProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [contact, setContact] = useState<ContactRow | null>(null);
  const [stageId, setStageId] = useState(stages[0]?.id ?? 0);
  const move = useMutation({
    mutationFn: async (id: number) =>
      await callApi("POST /contacts/:id/stage", { id, body: { stage_id: stageId } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: liveKeys.board });
    },
  });
  return (
    <Dialog onClose={onClose} title={t("pipelines.add_contact")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (contact !== null) move.mutate(contact.id);
        }}
      >
        <Stack gap="sm">
          <ContactPicker
            label={t("pipelines.who_enters")}
            limit={5}
            chosen={contact}
            onChoose={setContact}
          />
          <Select
            label={t("inbox.stage")}
            allowDeselect={false}
            value={String(stageId)}
            onChange={(id) => setStageId(Number(id))}
            data={stages.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <MutationFoot
            mutation={move}
            submit={t("pipelines.add_contact")}
            disabled={contact === null}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
