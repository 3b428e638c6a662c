import { Alert, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { servicesQuery } from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { anyAppointmentQuery } from "./api.ts";

/** Hint about the next step of a new account; nothing once there is an appointment. */
export function NextStep() {
  const { t } = useTranslation();
  const { role } = useSession();
  const services = useQuery(servicesQuery());
  const any = useQuery(anyAppointmentQuery);
  if (services.data === undefined || any.data === undefined || any.data.meta.total > 0) return null;
  const noService = services.data.meta.total === 0;
  return (
    <Alert mb="md" variant="light">
      <Group gap="sm">
        <Text size="sm">
          {t(noService ? "appointments.no_service" : "appointments.no_appointment")}
        </Text>
        {role === "admin" && (
          <Button
            size="compact-sm"
            variant="default"
            component={Link}
            to={noService ? paths.appointmentSetup : paths.bookingLinks}
          >
            {t(noService ? "appointments.add_service" : "appointments.share")}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
