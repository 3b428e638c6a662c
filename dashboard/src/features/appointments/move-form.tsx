import { Select, Stack, Switch, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refusal } from "../../components/booking/refusal.tsx";
import { SlotPicker, type SlotChoice } from "../../components/booking/slot-picker.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import {
  giversOf,
  resourcesQuery,
  servicesQuery,
  type Appointment,
} from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { useIsMounted } from "../../lib/use-is-mounted.ts";
import { useKeptFocus } from "../../lib/use-kept-focus.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import { useMove } from "./api.ts";
import { useTellMoved, useTellRefusal } from "./use-move-with-word.ts";

interface MoveFormProps {
  appointment: Appointment;
  onDone: () => void;
}

/** Form for another time or agenda of an appointment. Its own time counts as free. */
export function MoveForm({ appointment, onDone }: MoveFormProps) {
  const { t } = useTranslation();
  const [slot, setSlot] = useState<SlotChoice | null>(null);
  const [replace, setReplace] = useState(false);
  const title = useKeptFocus<HTMLHeadingElement>();
  const mounted = useIsMounted();
  const tellRefusal = useTellRefusal();
  const move = useMove({
    onMoved: useTellMoved(),
    // The form shows a refusal itself, as long as it is open.
    onRefused: (error, wanted) => {
      if (!mounted.current) tellRefusal(error, wanted, []);
    },
  });
  const submit = (outsideHours: boolean): void => {
    if (slot === null) return;
    const mode = replace ? "replace" : "same";
    const how = { mode, outside_hours: outsideHours } as const;
    move.mutate({ appointment, ...slot, ...how }, { onSuccess: onDone });
  };
  const refused = <Refusal error={move.error} onAnyway={() => submit(true)} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(false);
      }}
    >
      <Stack>
        <Title order={3} ref={title} tabIndex={-1}>
          {t("appointment.move_title")}
        </Title>
        <Where appointment={appointment} slot={slot} onSlot={setSlot} />
        <Switch
          label={t("appointment.replace")}
          description={t("appointment.replace_text")}
          checked={replace}
          onChange={({ currentTarget }) => setReplace(currentTarget.checked)}
        />
        {move.isPending && (
          <Text size="sm" role="status">
            {t("appointments.moving")}
          </Text>
        )}
        <FormFoot
          error={move.isError ? refused : null}
          submit={t("appointment.move_submit")}
          pending={move.isPending}
          disabled={slot === null}
          onCancel={onDone}
        />
      </Stack>
    </form>
  );
}

interface WhereProps {
  appointment: Appointment;
  slot: SlotChoice | null;
  onSlot: (slot: SlotChoice | null) => void;
}

function Where({ appointment, slot, onSlot }: WhereProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { givers, service } = useGivers(appointment);
  const [resourceId, setResourceId] = useState(appointment.resource_id);
  const [date, setDate] = useState(() => {
    const soonest = Math.max(Date.parse(appointment.start_time), Date.now());
    return wallTime(new Date(soonest).toISOString(), account.time_zone).date;
  });
  return (
    <>
      <Select
        label={t("appointments.agenda")}
        allowDeselect={false}
        searchable
        value={String(resourceId)}
        onChange={(id) => {
          setResourceId(Number(id));
          onSlot(null);
        }}
        data={givers.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      <SlotPicker
        wish={{ appointment_id: appointment.id, resource_id: resourceId, ...service }}
        resources={givers}
        date={date}
        onDate={setDate}
        value={slot}
        onChange={onSlot}
      />
    </>
  );
}

/** The agendas that can take the appointment. An archived service has no known times any more. */
function useGivers({ service_id: id }: Appointment) {
  const resources = useQuery(resourcesQuery());
  const services = useQuery(servicesQuery());
  const service = services.data?.data.find((one) => one.id === id);
  return {
    givers: giversOf(service, resources.data?.data ?? []),
    service: service === undefined ? {} : { service_id: service.id },
  };
}
