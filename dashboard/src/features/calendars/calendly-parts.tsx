import { Button, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyText } from "../../components/copy-text.tsx";
import type { CalendlyConnection } from "./api.ts";
import styles from "./calendars.module.css";
import { CalendlyMappingDialog } from "./calendly-mapping-dialog.tsx";
import { UnmappedDialog } from "./unmapped-dialog.tsx";

interface CalendlyPartsProps {
  connection: CalendlyConnection;
  name: string;
}

/** People and event types of Calendly, and bookings that wait for an agenda. */
export function CalendlyParts({ connection, name }: CalendlyPartsProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"mapping" | "unmapped" | null>(null);
  const { users, event_types: types, unmapped_bookings: waiting } = connection.calendly;
  const isConnected = connection.state === "connected";
  const people = users.filter((one) => one.resource_id !== null).length;
  const services = types.filter((one) => one.service_id !== null).length;
  const close = (): void => setOpen(null);
  return (
    <>
      {waiting > 0 && <Waiting count={waiting} onOpen={() => setOpen("unmapped")} />}
      <div className={styles["part"]}>
        <div className={styles["partHead"]}>
          <Title order={3}>{t("calendars.people_and_types")}</Title>
          {isConnected && (
            <Button size="xs" variant="default" onClick={() => setOpen("mapping")}>
              {t(people === 0 ? "calendars.choose_people" : "calendars.edit")}
            </Button>
          )}
        </div>
        <Text size="sm">
          {t("calendars.people_mapped", { mapped: people, count: users.length })}
        </Text>
        <Text size="sm">
          {t("calendars.services_mapped", { mapped: services, count: types.length })}
        </Text>
      </div>
      <details className={styles["details"]}>
        <summary>{t("calendars.calendly.webhook")}</summary>
        <CopyText value={connection.calendly.webhook_url} label={t("calendars.calendly.webhook")} />
      </details>
      {open === "mapping" && (
        <CalendlyMappingDialog connection={connection} name={name} onClose={close} />
      )}
      {open === "unmapped" && <UnmappedDialog connection={connection} onClose={close} />}
    </>
  );
}

function Waiting({ count, onOpen }: { count: number; onOpen: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles["trouble"]} data-tone="warn">
      <IconAlertTriangle size={18} aria-hidden />
      <div className={styles["troubleWords"]}>
        <b>{t("calendars.unmapped", { count })}</b>
        <span>{t("calendars.unmapped_text")}</span>
      </div>
      <Button size="xs" variant="default" onClick={onOpen}>
        {t("calendars.map_in")}
      </Button>
    </div>
  );
}
