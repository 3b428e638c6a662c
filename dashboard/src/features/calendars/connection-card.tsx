import { Group, Menu, Paper, Text, Title } from "@mantine/core";
import {
  IconBrandGoogle,
  IconCalendarTime,
  IconPlugConnectedX,
  IconRefresh,
} from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "../../components/row-menu.tsx";
import { Status } from "../../components/status.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSync, type Calendars, type Connection } from "./api.ts";
import styles from "./calendars.module.css";
import { CalendlyDialog } from "./calendly-dialog.tsx";
import { CalendlyParts } from "./calendly-parts.tsx";
import { ConnectionFacts } from "./connection-facts.tsx";
import { DisconnectModal } from "./disconnect-modal.tsx";
import { GoogleDialog } from "./google-dialog.tsx";
import { GoogleParts } from "./google-parts.tsx";
import { useTrouble } from "./trouble.ts";
import { TroubleRow } from "./trouble-row.tsx";

/** Name of a connection: its address, else its provider. */
function useConnectionName({ email, name, provider }: Connection): string {
  const { t } = useTranslation();
  const known = [email, name].find((one) => one !== null && one !== "");
  return known ?? t(`calendars.provider.${provider}`);
}

interface ConnectionCardProps {
  connection: Connection;
  /** The apps of this installation at their providers. */
  calendars: Pick<Calendars, "google" | "calendly">;
}

/** A connected account: its state, trouble, facts and mapping. */
export function ConnectionCard({ connection, calendars }: ConnectionCardProps) {
  const title = useId();
  const [open, setOpen] = useState<"choose" | "connect" | null>(null);
  const name = useConnectionName(connection);
  const trouble = useTrouble(connection);
  const { id, provider, google, calendly } = connection;
  return (
    <Paper
      withBorder
      component="section"
      aria-labelledby={`${title} ${title}-provider`}
      tabIndex={-1}
    >
      <CardHead connection={connection} name={name} titleId={title} />
      {trouble !== null && (
        <TroubleRow
          connection={connection}
          trouble={trouble}
          onConnect={() => setOpen("connect")}
        />
      )}
      <ConnectionFacts connection={connection} />
      {google !== null && (
        <GoogleParts
          connection={{ ...connection, google }}
          choosing={open === "choose"}
          onChoosing={(on) => setOpen(on ? "choose" : null)}
        />
      )}
      {calendly !== null && <CalendlyParts connection={{ ...connection, calendly }} name={name} />}
      {open === "connect" && provider === "google" && (
        <GoogleDialog google={calendars.google} connectionId={id} onClose={() => setOpen(null)} />
      )}
      {open === "connect" && provider === "calendly" && (
        <CalendlyDialog
          calendly={calendars.calendly}
          known={{ id, name }}
          onClose={() => setOpen(null)}
        />
      )}
    </Paper>
  );
}

interface CardHeadProps {
  connection: Connection;
  name: string;
  titleId: string;
}

function CardHead({ connection, name, titleId }: CardHeadProps) {
  const { t } = useTranslation();
  const { provider, state } = connection;
  const trouble = useTrouble(connection);
  const needsYou = state === "connected" && trouble?.tone === "bad";
  const Picture = provider === "google" ? IconBrandGoogle : IconCalendarTime;
  return (
    <div className={styles["head"]}>
      <span className={styles["icon"]} data-hue={provider === "google" ? "sky" : "indigo"}>
        <Picture size={20} stroke={1.75} aria-hidden />
      </span>
      <div className={styles["names"]}>
        <Title order={2} size="h3" id={titleId} className={styles["name"] ?? ""} dir="auto">
          {name}
        </Title>
        <Text size="xs" c="dimmed" id={`${titleId}-provider`}>
          {t(`calendars.provider.${provider}`)}
        </Text>
      </div>
      <Group gap="xs" className={styles["actions"] ?? ""}>
        {needsYou ? (
          <Status tone="bad">{t("calendars.needs_you")}</Status>
        ) : (
          <Status tone={state === "connected" ? "ok" : "bad"}>
            {t(`calendars.state.${state}`)}
          </Status>
        )}
        {state === "connected" && <MoreActions connection={connection} name={name} />}
      </Group>
    </div>
  );
}

function MoreActions({ connection, name }: { connection: Connection; name: string }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const sync = useSync(connection.id);
  const syncNow = (): void =>
    sync.mutate(undefined, {
      onSuccess: () => tellDone(t("calendars.synced")),
      onError: (error) => tellFailure(t("calendars.not_synced"), error),
    });
  return (
    <>
      <RowMenu name={name}>
        <Menu.Item
          disabled={sync.isPending}
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={syncNow}
        >
          {t("calendars.sync")}
        </Menu.Item>
        <Menu.Item
          color="bad"
          leftSection={<IconPlugConnectedX size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t("calendars.disconnect")}
        </Menu.Item>
      </RowMenu>
      {asking && (
        <DisconnectModal connection={connection} name={name} onClose={() => setAsking(false)} />
      )}
    </>
  );
}
