import { Group, MultiSelect, NumberInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import {
  maxBufferMinutes,
  maxDurationMinutes,
  minStepMinutes,
} from "../../../../core/model/appointment.ts";
import type { Hue } from "../../../../core/model/hue.ts";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { HuePicker } from "../../components/hue-picker.tsx";
import { NameField } from "../../components/name-field.tsx";
import { callApi } from "../../lib/api.ts";
import type { Resource, Service } from "../../lib/appointments.ts";
import { differenceOf } from "../../lib/difference.ts";
import { useAgendaChange } from "./agenda-api.ts";

interface ServiceModalProps {
  /** Undefined for a new service. */
  service?: Service;
  resources: Resource[];
  onClose: () => void;
}

/** Dialog that adds or changes a service. */
export function ServiceModal({ service, resources, onClose }: ServiceModalProps) {
  const { t } = useTranslation();
  const change = useAgendaChange();
  const form = useServiceForm(service);
  const save = form.onSubmit((values) => {
    const body = bodyOf(values);
    const call = () =>
      service === undefined
        ? callApi("POST /services", { body })
        : // A colleague's change of another field stays.
          callApi("PATCH /services/:id", {
            id: service.id,
            body: differenceOf(body, bodyOf(form.getInitialValues())),
          });
    change.mutate(call, { onSuccess: onClose });
  });
  const title =
    service === undefined
      ? t("setup.add_service")
      : t("setup.edit_service", { name: service.name });
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <Fields form={form} resources={resources} />
          <MutationFoot mutation={change} submit={t("common.save")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

type ServiceValues = ReturnType<typeof useServiceForm>["values"];

/** All fields of a service, as the API takes them. */
function bodyOf({ resource_ids: ids, step_minutes: step, ...values }: ServiceValues) {
  return {
    ...values,
    step_minutes: step === "" ? null : step,
    resource_ids: ids.map(Number),
  };
}

function useServiceForm(service: Service | undefined) {
  return useForm({
    initialValues: {
      name: service?.name ?? "",
      duration_minutes: service?.duration_minutes ?? 30,
      buffer_before_minutes: service?.buffer_before_minutes ?? 0,
      buffer_after_minutes: service?.buffer_after_minutes ?? 0,
      step_minutes: (service?.step_minutes ?? "") as number | "",
      hue: (service?.hue ?? "slate") as Hue,
      resource_ids: (service?.resource_ids ?? []).map(String),
    },
  });
}

interface FieldsProps {
  form: ReturnType<typeof useServiceForm>;
  resources: Resource[];
}

function Fields({ form, resources }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <NameField {...form.getInputProps("name")} />
      <HuePicker
        label={t("setup.hue")}
        value={form.values.hue}
        onChange={(hue) => form.setFieldValue("hue", hue)}
      />
      <NumberInput
        label={t("setup.duration")}
        required
        withAsterisk={false}
        min={1}
        max={maxDurationMinutes}
        step={5}
        allowDecimal={false}
        {...form.getInputProps("duration_minutes")}
      />
      <BufferFields form={form} />
      <NumberInput
        label={t("setup.step")}
        description={t("setup.step_text")}
        min={minStepMinutes}
        max={maxDurationMinutes}
        step={5}
        allowDecimal={false}
        {...form.getInputProps("step_minutes")}
      />
      <MultiSelect
        label={t("setup.givers")}
        description={t("setup.givers_text")}
        searchable
        data={resources.map(({ id, name }) => ({ value: String(id), label: name }))}
        {...form.getInputProps("resource_ids")}
      />
    </>
  );
}

function BufferFields({ form }: Pick<FieldsProps, "form">) {
  const { t } = useTranslation();
  return (
    <Group grow align="flex-start">
      <NumberInput
        label={t("setup.before")}
        min={0}
        max={maxBufferMinutes}
        step={5}
        allowDecimal={false}
        {...form.getInputProps("buffer_before_minutes")}
      />
      <NumberInput
        label={t("setup.after")}
        min={0}
        max={maxBufferMinutes}
        step={5}
        allowDecimal={false}
        {...form.getInputProps("buffer_after_minutes")}
      />
    </Group>
  );
}
