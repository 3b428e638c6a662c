import { Anchor, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { AppointmentBadge } from "../../components/state-badge.tsx";
import { useSession } from "../../lib/session.ts";
import { localTime } from "../../lib/time.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import { appointmentPath } from "../../paths.ts";
import { appointmentsQuery } from "./api.ts";
import { Part } from "./contact-places.tsx";

/** The contact's appointments, the latest first. */
export function AppointmentList({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(appointmentsQuery(contactId, offset));
  const empty = data?.meta.total === 0 ? t("contacts.no_appointments") : null;
  return (
    <Part title={t("contacts.appointments")} empty={empty}>
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data === undefined && error !== null && <LoadFailed error={error} retry={refetch} />}
      {data?.data.map(({ id, title, resource_name, start_time, status }) => (
        <Group key={id} gap="xs" justify="space-between">
          <div>
            <Anchor
              component={Link}
              to={appointmentPath(id, wallTime(start_time, account.time_zone).date)}
              size="sm"
              fw={500}
            >
              {title}
            </Anchor>
            <Text size="xs" c="dimmed">
              {localTime(start_time, account.time_zone)} · {resource_name}
            </Text>
          </div>
          <AppointmentBadge status={status} />
        </Group>
      ))}
      {data !== undefined && <Pager meta={data.meta} onMove={setOffset} />}
    </Part>
  );
}
