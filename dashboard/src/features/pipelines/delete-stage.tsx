import { Menu, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { callApi } from "../../lib/api.ts";
import type { useArrange } from "./api.ts";
import type { Stage } from "./columns.ts";

interface StageMenuProps {
  stage: Stage;
  /** Every stage of the pipeline. */
  stages: Stage[];
  arrange: ReturnType<typeof useArrange>;
}

/** Menu of a stage, which deletes the stage. */
export function StageMenu(props: StageMenuProps) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const { name } = props.stage;
  return (
    <>
      <RowMenu name={name}>
        <Menu.Item
          color="bad"
          leftSection={<IconTrash size={15} stroke={1.75} aria-hidden />}
          onClick={ask.open}
        >
          {t("pipelines.delete_stage", { name })}
        </Menu.Item>
      </RowMenu>
      {asking && <DeleteStage {...props} onClose={ask.close} />}
    </>
  );
}

/** Question before a stage is deleted, with the stage that its contacts move to. */
function DeleteStage({
  stage: { id, name, cards },
  stages,
  arrange,
  onClose,
}: StageMenuProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const others = stages.filter((one) => one.id !== id);
  const [into, setInto] = useState(() => neighbourOf(id, stages)?.id ?? null);
  const isFull = cards > 0 && into !== null;
  const confirm = (): void =>
    arrange.mutate(
      async () => {
        if (isFull) await empty(id, into);
        return await callApi("DELETE /stages/:id", { id });
      },
      { onSettled: onClose },
    );
  return (
    <ConfirmModal
      title={t("pipelines.delete_title", { name })}
      text={
        isFull
          ? t("pipelines.delete_full_stage_text", { count: cards })
          : t("pipelines.delete_stage_text")
      }
      action={
        isFull ? t("pipelines.delete_full_stage", { count: cards }) : t("pipelines.delete_submit")
      }
      keep={t("common.keep")}
      color="bad"
      pending={arrange.isPending}
      onClose={onClose}
      onConfirm={confirm}
    >
      {isFull && (
        <Select
          label={t("pipelines.move_to")}
          allowDeselect={false}
          value={String(into)}
          onChange={(chosen) => setInto(Number(chosen))}
          data={others.map((one) => ({ value: String(one.id), label: one.name }))}
        />
      )}
    </ConfirmModal>
  );
}

/** The stage before another one, or after the first one. */
function neighbourOf(id: number, stages: Stage[]): Stage | undefined {
  const index = stages.findIndex((one) => one.id === id);
  return stages[index === 0 ? 1 : index - 1];
}

/** Moves all contacts of a stage. A call moves a part of them, so that no call takes long. */
async function empty(id: number, into: number): Promise<void> {
  const { moved, left } = await callApi("POST /stages/:id/empty", {
    id,
    body: { stage_id: into },
  });
  if (left > 0 && moved > 0) await empty(id, into);
}
