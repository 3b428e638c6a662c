import { Stack, Switch, TagsInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { maxStages } from "../../../../core/model/pipeline.ts";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { NameField } from "../../components/name-field.tsx";
import { callApi } from "../../lib/api.ts";
import { pipelinePath } from "../../paths.ts";
import { useArrange } from "./api.ts";

/** Dialog that creates a pipeline with its stages and opens its board. */
export function NewPipelineModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const arrange = useArrange();
  const form = usePipelineForm();
  const save = form.onSubmit((body) =>
    arrange.mutate(() => callApi("POST /pipelines", { body }), {
      onSuccess: ({ id }) => {
        onClose();
        void navigate(pipelinePath(id));
      },
    }),
  );
  return (
    <Dialog onClose={onClose} title={t("pipelines.add")}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <Fields form={form} />
          <MutationFoot
            mutation={arrange}
            submit={t("common.save")}
            disabled={form.values.stages.length === 0}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

function usePipelineForm() {
  return useForm({ initialValues: { name: "", stages: [] as string[], default: false } });
}

function Fields({ form }: { form: ReturnType<typeof usePipelineForm> }) {
  const { t } = useTranslation();
  return (
    <>
      <NameField {...form.getInputProps("name")} />
      <TagsInput
        label={t("pipelines.stages")}
        description={t("pipelines.stages_text")}
        maxTags={maxStages}
        acceptValueOnBlur
        {...form.getInputProps("stages")}
      />
      <Switch
        label={t("pipelines.default")}
        {...form.getInputProps("default", { type: "checkbox" })}
      />
    </>
  );
}
