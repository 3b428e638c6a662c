import { Button, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { callApi } from "../../lib/api.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";
import { paths } from "../../paths.ts";
import { useArrange } from "./api.ts";
import { LostReasons } from "./lost-reasons.tsx";
import { NameForm } from "./name-form.tsx";
import { StageRow } from "./stage-row.tsx";

/** Dialog for admins: names, colours, order and slow limits of stages, and lost reasons. */
export function ArrangeModal({
  pipeline,
  onClose,
}: {
  pipeline: PipelineView;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const arrange = useArrange();
  const { id } = pipeline;
  const stages = useFocusAfterRow<HTMLHeadingElement>(pipeline.stages.length);
  return (
    <Dialog
      onClose={onClose}
      size={680}
      title={t("pipelines.arrange_title", { name: pipeline.name })}
    >
      <Stack>
        <NameForm
          label={t("pipelines.name")}
          name={pipeline.name}
          onSave={(name) =>
            arrange.mutate(() => callApi("PATCH /pipelines/:id", { id, body: { name } }))
          }
        />
        <Switch
          label={t("pipelines.default")}
          checked={pipeline.default}
          // Not disabled while it saves, because a disabled field loses the keyboard focus.
          aria-busy={arrange.isPending}
          onChange={({ currentTarget }) => {
            if (arrange.isPending) return;
            const body = { default: currentTarget.checked };
            arrange.mutate(() => callApi("PATCH /pipelines/:id", { id, body }));
          }}
        />
        <Title order={3} size="h4" ref={stages} tabIndex={-1}>
          {t("pipelines.stages")}
        </Title>
        <Text size="xs" c="dimmed">
          {t("pipelines.slow_text")}
        </Text>
        {pipeline.stages.map((stage, index) => (
          <StageRow key={stage.id} pipeline={pipeline} index={index} arrange={arrange} />
        ))}
        <AddStage pipelineId={id} />
        <LostReasons pipeline={pipeline} />
        <DeletePipeline pipeline={pipeline} onDeleted={onClose} />
      </Stack>
    </Dialog>
  );
}

/** Form for a new stage. The name stays in the field until the stage exists. */
function AddStage({ pipelineId: id }: { pipelineId: number }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const arrange = useArrange();
  const field = useRef<HTMLInputElement>(null);
  const onSuccess = (): void => {
    setName("");
    // The empty field disables the button, and the next stage can be typed here.
    field.current?.focus();
  };
  const call = () => callApi("POST /pipelines/:id/stages", { id, body: { name } });
  const add = (): void => arrange.mutate(call, { onSuccess });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          ref={field}
          flex={1}
          label={t("pipelines.new_stage")}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PendingButton
          type="submit"
          variant="default"
          pending={arrange.isPending}
          disabled={name.trim() === ""}
        >
          {t("composer.add")}
        </PendingButton>
      </Group>
    </form>
  );
}

function DeletePipeline({
  pipeline: { id, name, stages },
  onDeleted,
}: {
  pipeline: PipelineView;
  onDeleted: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asking, ask] = useDisclosure(false);
  const arrange = useArrange();
  const count = stages.reduce((sum, { cards }) => sum + cards, 0);
  const confirm = (): void =>
    arrange.mutate(() => callApi("DELETE /pipelines/:id", { id }), {
      onSuccess: () => {
        onDeleted();
        void navigate(paths.pipelines, { replace: true });
      },
    });
  return (
    <Group>
      <Button variant="subtle" color="bad" size="xs" onClick={ask.open}>
        {t("pipelines.delete")}
      </Button>
      {asking && (
        <ConfirmModal
          title={t("pipelines.delete_title", { name })}
          text={t("pipelines.delete_text", { count })}
          action={t("pipelines.delete_submit")}
          keep={t("common.keep")}
          color="bad"
          pending={arrange.isPending}
          onClose={ask.close}
          onConfirm={confirm}
        />
      )}
    </Group>
  );
}
