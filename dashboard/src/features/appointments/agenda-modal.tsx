import { Select, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { callApi } from "../../lib/api.ts";
import type { Resource } from "../../lib/appointments.ts";
import { differenceOf } from "../../lib/difference.ts";
import { useSession } from "../../lib/session.ts";
import { useAgendaChange } from "./agenda-api.ts";
import { HoursEditor } from "../../components/hours-editor.tsx";
import { NameField } from "../../components/name-field.tsx";
import { officeHours } from "../../lib/weekly-hours.ts";

interface AgendaModalProps {
  /** Undefined for a new agenda. */
  resource?: Resource;
  onClose: () => void;
}

/** Dialog that adds or changes an agenda with its weekly hours. */
export function AgendaModal({ resource, onClose }: AgendaModalProps) {
  const { t } = useTranslation();
  const change = useAgendaChange();
  const form = useAgendaForm(resource);
  const save = form.onSubmit((body) => {
    const call = () =>
      resource === undefined
        ? callApi("POST /resources", { body })
        : // A colleague's change of another field stays.
          callApi("PATCH /resources/:id", {
            id: resource.id,
            body: differenceOf(body, form.getInitialValues()),
          });
    change.mutate(call, { onSuccess: onClose });
  });
  const title =
    resource === undefined
      ? t("setup.add_agenda")
      : t("setup.edit_agenda", { name: resource.name });
  return (
    <Dialog onClose={onClose} size="lg" title={title}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <Fields form={form} />
          <MutationFoot mutation={change} submit={t("common.save")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

function useAgendaForm(resource: Resource | undefined) {
  const { account } = useSession();
  return useForm({
    initialValues: {
      name: resource?.name ?? "",
      time_zone: resource?.time_zone ?? account.time_zone,
      weekly_hours: resource?.weekly_hours ?? officeHours,
    },
  });
}

function Fields({ form }: { form: ReturnType<typeof useAgendaForm> }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" c="dimmed">
        {t("setup.agenda_text")}
      </Text>
      <NameField {...form.getInputProps("name")} />
      <Select
        label={t("setup.zone")}
        searchable
        allowDeselect={false}
        limit={50}
        data={zonesWith(form.values.time_zone)}
        {...form.getInputProps("time_zone")}
      />
      <HoursEditor
        hours={form.values.weekly_hours}
        onChange={(hours) => form.setFieldValue("weekly_hours", hours)}
      />
    </>
  );
}

/** The time zones that the browser lists, and the present one. */
function zonesWith(zone: string): string[] {
  return [...new Set([zone, ...Intl.supportedValuesOf("timeZone")])];
}
