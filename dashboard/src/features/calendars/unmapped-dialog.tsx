import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import type { AnswerOf } from "../../lib/api.ts";
import { resourcesQuery } from "../../lib/appointments.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { dayAndTime } from "../../lib/time.ts";
import { unmappedQuery, useSaveMapping, type CalendlyConnection } from "./api.ts";
import { Choosing, type Choices } from "./calendly-mapping-dialog.tsx";
import styles from "./calendars.module.css";

type Booking = AnswerOf<"GET /calendars/calendly/:id/unmapped">["data"][number];

interface UnmappedDialogProps {
  connection: CalendlyConnection;
  onClose: () => void;
}

/** Dialog that gives the hosts of waiting bookings an agenda, which takes the bookings in. */
export function UnmappedDialog({ connection, onClose }: UnmappedDialogProps) {
  const { t } = useTranslation();
  const bookings = useQuery(unmappedQuery(connection.id));
  return (
    <Dialog onClose={onClose} size="lg" title={t("calendars.map_in_title")}>
      <QueryState query={bookings} rows={3}>
        {({ data }) => <MapForm connection={connection} bookings={data} onClose={onClose} />}
      </QueryState>
    </Dialog>
  );
}

function MapForm({ connection, bookings, onClose }: UnmappedDialogProps & { bookings: Booking[] }) {
  const { t } = useTranslation();
  const resources = useQuery(resourcesQuery());
  const [choices, setChoices] = useState<Choices>({});
  const save = useSaveMapping(connection.id);
  const hosts = new Map(bookings.flatMap((one) => one.hosts.map(({ uri, name }) => [uri, name])));
  const chosen = Object.entries(choices).flatMap(([uri, resource_id]) =>
    resource_id === null ? [] : [{ uri, resource_id }],
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const onSuccess = (): void => {
          onClose();
          tellDone(t("calendars.taken_in"));
        };
        save.mutate({ users: chosen }, { onSuccess });
      }}
    >
      <Stack gap="md">
        <Choosing
          title={t("calendars.people")}
          text={t("calendars.map_in_text")}
          rows={[...hosts].map(([uri, label]) => ({ uri, label, note: null }))}
          options={resources.data?.data ?? []}
          none={t("calendars.nobody")}
          choices={choices}
          onChange={setChoices}
        />
        <section aria-label={t("calendars.waiting")}>
          <Title order={3} mb="xs">
            {t("calendars.waiting")}
          </Title>
          <ul className={styles["links"]}>
            {bookings.map((one) => (
              <WaitingBooking key={one.id} booking={one} />
            ))}
          </ul>
        </section>
        <MutationFoot
          mutation={save}
          submit={t("calendars.map_in")}
          disabled={chosen.length === 0}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function WaitingBooking({ booking }: { booking: Booking }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { invitee_name: name, invitee_email: email, event_type_name: type, hosts } = booking;
  const facts = [
    dayAndTime(booking.start_time, account.time_zone),
    type,
    hosts.map((host) => host.name).join(", "),
  ].filter((fact) => fact !== null && fact !== "");
  return (
    <li>
      <b dir="auto">{name ?? email ?? t("calendars.no_name")}</b>
      <small>
        <Text span inherit dir="auto">
          {facts.join(" · ")}
        </Text>
      </small>
    </li>
  );
}
