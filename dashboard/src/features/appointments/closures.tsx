import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { WallField } from "../../components/wall-field.tsx";
import { callApi } from "../../lib/api.ts";
import type { Resource } from "../../lib/appointments.ts";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";
import { useSession } from "../../lib/session.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";
import { dayAndTime, zoneText } from "../../lib/time.ts";
import { momentAt } from "../../lib/zoned-time.ts";
import { closuresQuery, useAgendaChange, useAgendaStep, type Closure } from "./agenda-api.ts";

/** Button for the closures of an agenda. A closure overrides the weekly hours. */
export function Closures({ resource }: { resource: Resource }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [open, modal] = useDisclosure(false);
  return (
    <Group gap="xs">
      <Button size="compact-sm" variant="default" onClick={modal.open}>
        {t("setup.closures")}
      </Button>
      {open && (
        <Dialog onClose={modal.close} title={t("setup.closures_of", { name: resource.name })}>
          <Stack>
            <ClosureList resource={resource} />
            {role === "admin" && <NewClosure resource={resource} />}
          </Stack>
        </Dialog>
      )}
    </Group>
  );
}

function ClosureList({ resource: { id, time_zone: zone } }: { resource: Resource }) {
  const { t } = useTranslation();
  const closures = useQuery(closuresQuery(id));
  const place = useFocusAfterRow<HTMLDivElement>(closures.data?.data.length ?? 0);
  return (
    <QueryState query={closures} rows={2}>
      {({ data }) => (
        <Stack ref={place} tabIndex={-1}>
          {data.length === 0 && <Text c="dimmed">{t("setup.no_closure")}</Text>}
          {data.map((closure) => (
            <ClosureRow key={closure.id} closure={closure} zone={zone} />
          ))}
        </Stack>
      )}
    </QueryState>
  );
}

/** Times are in the time zone of the agenda, like its hours. */
function ClosureRow({ closure, zone }: { closure: Closure; zone: string }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const { take, isPending } = useAgendaStep();
  const { id, start_time, end_time, reason } = closure;
  const time = [start_time, end_time].map((moment) => dayAndTime(moment, zone)).join(" – ");
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">
        {time} ({zoneText(zone)}){reason !== null && ` · ${reason}`}
      </Text>
      {role === "admin" && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-busy={isPending}
          aria-label={t("setup.reopen", { time })}
          {...softDisabledButton(isPending, () =>
            take(() => callApi("DELETE /closures/:id", { id })),
          )}
        >
          <IconX size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}

function NewClosure({ resource: { id, time_zone: zone } }: { resource: Resource }) {
  const { t } = useTranslation();
  const change = useAgendaChange();
  const form = useForm({ initialValues: { from: "", to: "", reason: "" } });
  const save = form.onSubmit(({ from, to, reason }) => {
    const body = {
      start_time: momentIn(from, zone),
      end_time: momentIn(to, zone),
      ...(reason.trim() === "" ? {} : { reason }),
    };
    const call = () => callApi("POST /resources/:id/closures", { id, body });
    change.mutate(call, { onSuccess: form.reset });
  });
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <WallField
          kind="datetime"
          required
          withAsterisk={false}
          label={t("setup.closure_from")}
          description={zoneText(zone)}
          {...form.getInputProps("from")}
        />
        <WallField
          kind="datetime"
          required
          withAsterisk={false}
          label={t("setup.closure_to")}
          description={zoneText(zone)}
          {...form.getInputProps("to")}
        />
        <TextInput label={t("setup.reason")} maxLength={500} {...form.getInputProps("reason")} />
        <MutationFoot mutation={change} submit={t("setup.close")} />
      </Stack>
    </form>
  );
}

/** Moment for a local time such as `2026-11-24T09:30` in a time zone. */
function momentIn(text: string, timeZone: string): string {
  const [date = "", time = ""] = text.split("T");
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return momentAt({ date, minutes: hour * 60 + minute }, timeZone);
}
