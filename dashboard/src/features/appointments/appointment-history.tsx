import { Anchor, List, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Moment } from "../../components/moment.tsx";
import { resourcesQuery, type Appointment } from "../../lib/appointments.ts";
import { codeText } from "../../lib/code-text.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import { useSession } from "../../lib/session.ts";
import { dayAndTime } from "../../lib/time.ts";
import { appointmentPath } from "../../paths.ts";
import { movesQuery, type Move } from "./api.ts";

/** An entry in the history of an appointment. */
interface Happening {
  key: string;
  at: string;
  words: ReactNode;
  /** Reason of a cancellation or of a failed move. */
  reason?: string | null;
}

/** History of an appointment, newest first: booked, moved, not moved, cancelled, replaced. */
export function AppointmentHistory({ appointment }: { appointment: Appointment }) {
  const { t } = useTranslation();
  const moves = useQuery(movesQuery(appointment.id));
  const moveWords = useMoveWords();
  const happenings: Happening[] = [
    ...useOwn(appointment),
    ...(moves.data ?? []).map((move) => ({
      key: `move-${move.id}`,
      at: move.finished_at ?? move.created_at,
      ...moveWords(move),
    })),
  ].toSorted((one, other) => other.at.localeCompare(one.at));
  return (
    <section aria-label={t("appointment.history")}>
      <Title order={3} mb="xs">
        {t("appointment.history")}
      </Title>
      <List spacing="xs" listStyleType="none" size="sm">
        {happenings.map(({ key, at, words, reason }) => (
          <List.Item key={key}>
            {words}
            {reason !== undefined && reason !== null && `: ${reason}`}
            <Text span size="xs" c="dimmed">
              {" · "}
              <Moment at={at} />
            </Text>
          </List.Item>
        ))}
      </List>
    </section>
  );
}

function useOwn(appointment: Appointment): Happening[] {
  const { t } = useTranslation();
  const { created_at, updated_at, cancelled_at, cancel_reason: reason, source } = appointment;
  const { replaces_appointment_id: before, replaced_by_appointment_id: after } = appointment;
  const through = codeText("appointment_source", source ?? "");
  const words = through === "" ? t("appointment_status.confirmed") : null;
  const booked = words ?? t("appointment.booked", { source: through });
  return [
    { key: "booked", at: created_at, words: booked },
    ...(cancelled_at === null
      ? []
      : [{ key: "cancelled", at: cancelled_at, words: t("appointment.cancelled"), reason }]),
    ...(before === null
      ? []
      : [
          {
            key: "replaces",
            at: created_at,
            words: <OtherLink id={before} words={t("appointment.replaces", { id: before })} />,
          },
        ]),
    ...(after === null
      ? []
      : [
          {
            key: "replaced",
            at: updated_at,
            words: <OtherLink id={after} words={t("appointment.replaced", { id: after })} />,
          },
        ]),
  ];
}

function OtherLink({ id, words }: { id: number; words: string }) {
  return (
    <Anchor component={Link} to={appointmentPath(id)} size="sm">
      {words}
    </Anchor>
  );
}

function useMoveWords(): (move: Move) => Pick<Happening, "words" | "reason"> {
  const { t } = useTranslation();
  const { account } = useSession();
  const resources = useQuery(resourcesQuery());
  return ({ state, start_time, resource_id, failure_code: code }) => {
    const agenda = resources.data?.data.find(({ id }) => id === resource_id)?.name ?? "";
    const time = dayAndTime(start_time, account.time_zone);
    if (state === "committed") return { words: t("appointment.moved", { time, agenda }) };
    if (state === "requested") return { words: t("appointment.moving_to", { time, agenda }) };
    const failure = { code: code ?? "", message: t("error.reschedule_failed") };
    return { words: t("appointment.not_moved_to", { time }), reason: errorCodeText(failure) };
  };
}
