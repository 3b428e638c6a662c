import { Button, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { Dialog } from "../../components/dialog.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { callApi } from "../../lib/api.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";
import { paths } from "../../paths.ts";
import { useArrange } from "./api.ts";
import { NameForm } from "./name-form.tsx";
import { StageRow } from "./stage-row.tsx";

/** Dialog for admins: rename a pipeline and its stages, order, add and delete stages. */
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
      size="lg"
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
        {pipeline.stages.map((stage, index) => (
          <StageRow key={stage.id} pipeline={pipeline} index={index} arrange={arrange} />
        ))}
        <AddStage pipelineId={id} />
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
  pipeline: { id, stages },
  onDeleted,
}: {
  pipeline: PipelineView;
  onDeleted: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const arrange = useArrange();
  const count = stages.reduce((sum, { cards }) => sum + cards, 0);
  const confirm = (): void =>
    arrange.mutate(() => callApi("DELETE /pipelines/:id", { id }), {
      onSuccess: () => {
        onDeleted();
        void navigate(paths.pipelines, { replace: true });
      },
    });
  if (!asking) {
    return (
      <Group>
        <Button variant="subtle" color="bad" size="xs" onClick={() => setAsking(true)}>
          {t("pipelines.delete")}
        </Button>
      </Group>
    );
  }
  return (
    <Stack gap="xs" role="group" aria-label={t("pipelines.delete")}>
      <Text size="sm">{t("pipelines.delete_text", { count })}</Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => setAsking(false)}>
          {t("common.cancel")}
        </Button>
        <PendingButton size="xs" color="bad" pending={arrange.isPending} onClick={confirm}>
          {t("pipelines.delete_submit")}
        </PendingButton>
      </Group>
    </Stack>
  );
}
