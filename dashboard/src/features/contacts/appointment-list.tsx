import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AppointmentLines } from "../../components/appointment-lines.tsx";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { contactAppointmentsQuery } from "../../lib/appointments.ts";
import { isEmptyList } from "../../lib/empty-list.ts";
import { Part } from "./contact-places.tsx";

/** The contact's appointments, the next one first. */
export function AppointmentList({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(contactAppointmentsQuery(contactId, { offset }));
  const empty = data !== undefined && isEmptyList(data) ? t("contacts.no_appointments") : null;
  return (
    <Part title={t("contacts.appointments")} empty={empty}>
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data === undefined && error !== null && <LoadFailed error={error} retry={refetch} />}
      {data !== undefined && <AppointmentLines appointments={data.data} />}
      {data !== undefined && <Pager meta={data.meta} onMove={setOffset} />}
    </Part>
  );
}
