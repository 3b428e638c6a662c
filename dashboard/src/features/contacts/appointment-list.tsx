import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AppointmentLines } from "../../components/appointment-lines.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { contactAppointmentsQuery } from "../../lib/appointments.ts";
import { isEmptyList } from "../../lib/empty-list.ts";
import { Part } from "./contact-places.tsx";

/** The contact's appointments, the next one first. */
export function AppointmentList({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const appointments = useQuery(contactAppointmentsQuery(contactId, { offset }));
  const isEmpty = appointments.data !== undefined && isEmptyList(appointments.data);
  return (
    <Part title={t("contacts.appointments")} empty={isEmpty ? t("contacts.no_appointments") : null}>
      <QueryState query={appointments} rows={2}>
        {({ data, meta }) => (
          <>
            <AppointmentLines appointments={data} />
            <Pager meta={meta} onMove={setOffset} />
          </>
        )}
      </QueryState>
    </Part>
  );
}
