import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hasBegun } from "../../../../core/model/appointment.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import type { Appointment } from "../../lib/appointments.ts";
import { useNow } from "../../lib/time.ts";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";
import { useKeptFocus } from "../../lib/use-kept-focus.ts";
import { useStep, useWantedMoves, type Step } from "./api.ts";
import { CalendarFileButton } from "./calendar-file-button.tsx";
import {
  CalendlyNote,
  GroupWarning,
  RescheduleInCalendly,
  useCalendlyBooking,
  type CalendlyBooking,
} from "./calendly-actions.tsx";

interface AppointmentActionsProps {
  appointment: Appointment;
  onMove: () => void;
}

/** Buttons for an appointment in its present state; none for a replaced one. */
export function AppointmentActions({ appointment, onMove }: AppointmentActionsProps) {
  const { t } = useTranslation();
  const { id, status, source, reschedule } = appointment;
  const begun = hasBegun(new Date(appointment.start_time), new Date(useNow(10_000)));
  const wanted = useWantedMoves();
  const step = useStep(id);
  const [cancelling, setCancelling] = useState(false);
  // The focus goes to the group, not to the button that replaces the pressed one. A second press of
  // the same key would undo the action.
  const place = useKeptFocus<HTMLDivElement>(`${status} ${cancelling}`);
  const take = (next: Step, reason?: string): void => {
    if (step.isPending) return;
    step.mutate(
      { step: next, ...(reason === undefined ? {} : { reason }) },
      { onSuccess: () => setCancelling(false) },
    );
  };
  const calendly = useCalendlyBooking(appointment);
  const moving = reschedule !== null || wanted.some((move) => move.appointment.id === id);
  if (cancelling && status === "confirmed") {
    return (
      <CancelForm
        pending={step.isPending}
        calendly={calendly ?? null}
        onCancel={(reason) => take("cancel", reason)}
        onKeep={() => setCancelling(false)}
      />
    );
  }
  return (
    <Group gap="xs" ref={place} tabIndex={-1} role="group" aria-label={t("appointment.actions")}>
      {moving && (
        <Text size="sm" role="status">
          {t("appointments.moving")}
        </Text>
      )}
      {status === "confirmed" && (
        <MoveAction calendly={calendly} disabled={moving} onMove={onMove} />
      )}
      <PlainSteps status={status} begun={begun} pending={step.isPending} onTake={take} />
      {status === "confirmed" && (
        <Button size="xs" variant="default" c="bad" onClick={() => setCancelling(true)}>
          {t("appointment.cancel")}
        </Button>
      )}
      {status === "confirmed" && source !== "google" && <CalendarFileButton id={id} />}
      {status === "confirmed" && calendly !== null && <CalendlyNote />}
      {!begun && stepsFrom[status].some(isMark) && <NotBegun />}
    </Group>
  );
}

interface MoveActionProps {
  /** Undefined until it is known whether Calendly has the booking. */
  calendly: CalendlyBooking | null | undefined;
  disabled: boolean;
  onMove: () => void;
}

/** Button to another time: here, or in Calendly for a booking from there. */
function MoveAction({ calendly, disabled, onMove }: MoveActionProps) {
  const { t } = useTranslation();
  if (calendly !== null && calendly !== undefined) {
    return <RescheduleInCalendly booking={calendly} />;
  }
  return (
    <Button size="xs" disabled={disabled || calendly === undefined} onClick={onMove}>
      {t("appointment.move")}
    </Button>
  );
}

function NotBegun() {
  const { t } = useTranslation();
  return (
    <Text size="xs" c="dimmed" w="100%">
      {t("appointment.not_begun")}
    </Text>
  );
}

interface PlainStepsProps {
  status: Appointment["status"];
  begun: boolean;
  pending: boolean;
  onTake: (step: PlainStep) => void;
}

function PlainSteps({ status, begun, pending, onTake }: PlainStepsProps) {
  const { t } = useTranslation();
  return stepsFrom[status].map((next) => (
    <Button
      key={next}
      size="xs"
      variant="default"
      disabled={!begun && isMark(next)}
      {...softDisabledButton(pending, () => onTake(next))}
    >
      {t(`appointment.${words[next]}`)}
    </Button>
  ));
}

type PlainStep = Exclude<Step, "cancel">;

/** Rules C69 and C72: possible actions per status. */
const stepsFrom: Record<Appointment["status"], PlainStep[]> = {
  confirmed: ["complete", "no-show"],
  completed: ["reactivate", "no-show"],
  no_show: ["reactivate", "complete"],
  cancelled: ["reactivate"],
  rescheduled: [],
};

/** True for an action that records the result of the visit. */
function isMark(step: PlainStep): boolean {
  return step !== "reactivate";
}

const words = { complete: "complete", "no-show": "no_show", reactivate: "reactivate" } as const;

interface CancelFormProps {
  pending: boolean;
  calendly: CalendlyBooking | null;
  onCancel: (reason: string) => void;
  onKeep: () => void;
}

function CancelForm({ pending, calendly, onCancel, onKeep }: CancelFormProps) {
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCancel(reason.trim());
      }}
    >
      <Stack gap="xs">
        {calendly !== null && <GroupWarning booking={calendly} />}
        <TextInput
          label={t("appointment.cancel_why")}
          description={t("common.optional")}
          maxLength={500}
          autoFocus
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onKeep}>
            {t("appointment.keep")}
          </Button>
          <PendingButton size="xs" type="submit" color="bad" pending={pending}>
            {t("appointment.cancel_submit")}
          </PendingButton>
        </Group>
      </Stack>
    </form>
  );
}
