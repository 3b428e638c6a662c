import { Button, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconArrowRight, IconArrowsLeftRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Status } from "../../components/status.tsx";
import { resourcesQuery } from "../../lib/appointments.ts";
import type { GoogleConnection, GoogleLink } from "./api.ts";
import styles from "./calendars.module.css";
import { GoogleRules } from "./google-dialog.tsx";
import { GoogleLinksDialog } from "./google-links-dialog.tsx";

interface GooglePartsProps {
  connection: GoogleConnection;
  /** True while the dialog that chooses calendars is open. */
  choosing: boolean;
  onChoosing: (on: boolean) => void;
}

/** The calendars of a Google account and their agendas, and Google's rules. */
export function GoogleParts({ connection, choosing, onChoosing }: GooglePartsProps) {
  const { t } = useTranslation();
  const { links } = connection.google;
  const isConnected = connection.state === "connected";
  return (
    <>
      <div className={styles["part"]}>
        <div className={styles["partHead"]}>
          <Title order={3}>{t("calendars.mapping")}</Title>
          {isConnected && (
            <Button size="xs" variant="default" onClick={() => onChoosing(true)}>
              {t(links.length === 0 ? "calendars.choose" : "calendars.edit")}
            </Button>
          )}
        </div>
        {links.length === 0 && (
          <Text size="sm" c="dimmed">
            {t("calendars.no_links")}
          </Text>
        )}
        {links.length > 0 && <Links links={links} />}
      </div>
      <details className={styles["details"]}>
        <summary>{t("calendars.google.rules")}</summary>
        <GoogleRules />
      </details>
      {choosing && <GoogleLinksDialog connection={connection} onClose={() => onChoosing(false)} />}
    </>
  );
}

function Links({ links }: { links: GoogleLink[] }) {
  const resources = useQuery(resourcesQuery());
  const nameOf = (id: number): string =>
    resources.data?.data.find((one) => one.id === id)?.name ?? `#${id}`;
  return (
    <ul className={styles["links"]}>
      {links.map((link) => (
        <LinkRow key={link.id} link={link} agenda={nameOf(link.resource_id)} />
      ))}
    </ul>
  );
}

const arrows = {
  two_way: IconArrowsLeftRight,
  write_only: IconArrowLeft,
  busy_only: IconArrowRight,
};

function LinkRow({ link, agenda }: { link: GoogleLink; agenda: string }) {
  const { t } = useTranslation();
  const { name, direction, other_events: other, state } = link;
  const Arrow = arrows[direction];
  return (
    <li>
      <span className={styles["pair"]}>
        <b dir="auto">{name}</b>
        <Arrow size={15} aria-hidden />
        <b dir="auto">{agenda}</b>
      </span>
      <small>
        {t(`calendars.directions.${direction}`)}
        {direction === "two_way" &&
          ` · ${t("calendars.other_events")}: ${t(`calendars.others.${other}`)}`}
      </small>
      {state === "disconnected" && <Status tone="bad">{t("calendars.state.disconnected")}</Status>}
    </li>
  );
}
