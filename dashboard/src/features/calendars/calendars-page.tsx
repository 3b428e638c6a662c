import { Button, Menu, Stack } from "@mantine/core";
import { IconBrandGoogle, IconCalendarTime, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Empty, EmptyWithSteps } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { useSession } from "../../lib/session.ts";
import { calendarsQuery, type Calendars } from "./api.ts";
import { CalendlyDialog } from "./calendly-dialog.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { GoogleDialog } from "./google-dialog.tsx";
import { providers, ResultNotice } from "./result-notice.tsx";

/** Page for admins: accounts of Google Calendar and Calendly with their state and mapping. */
export function CalendarsPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  if (role === "admin") return <Looked />;
  return (
    <Page title={t("calendars.title")}>
      <SettingsNav />
      <Empty title={t("calendars.admins")} text={t("error.forbidden_role")} />
    </Page>
  );
}

function Looked() {
  const { t } = useTranslation();
  const query = useQuery(calendarsQuery);
  const connecting = useConnecting();
  const isEmpty = query.data?.connections.length === 0;
  return (
    <Page
      form={!isEmpty}
      title={t("calendars.title")}
      action={query.isSuccess && !isEmpty && <ConnectMenu onChoose={connecting.open} />}
    >
      <SettingsNav />
      <ResultNotice onRetry={connecting.open} />
      <QueryState query={query} rows={2} height={180}>
        {(calendars) => (
          <>
            <Connections calendars={calendars} onConnect={connecting.open} />
            {connecting.provider === "google" && (
              <GoogleDialog google={calendars.google} onClose={connecting.close} />
            )}
            {connecting.provider === "calendly" && (
              <CalendlyDialog calendly={calendars.calendly} onClose={connecting.close} />
            )}
          </>
        )}
      </QueryState>
    </Page>
  );
}

type Provider = Calendars["connections"][number]["provider"];

/** The dialog that connects an account. The URL keeps it, so that other pages can lead to it. */
function useConnecting() {
  const [params, setParams] = useSearchParams();
  const asked = params.get("connect");
  const set = (provider: Provider | null): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("connect");
        // A new attempt ends the notice about the last one.
        if (provider !== null) for (const one of providers) next.delete(one);
        if (provider !== null) next.set("connect", provider);
        return next;
      },
      { replace: true },
    );
  return {
    provider: asked === "google" || asked === "calendly" ? asked : null,
    open: (provider: Provider): void => set(provider),
    close: (): void => set(null),
  };
}

interface ConnectProps {
  onChoose: (provider: Provider) => void;
}

function ConnectMenu({ onChoose }: ConnectProps) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button leftSection={<IconPlus size={16} aria-hidden />}>{t("calendars.connect")}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconBrandGoogle size={16} aria-hidden />}
          onClick={() => onChoose("google")}
        >
          {t("calendars.add_google")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCalendarTime size={16} aria-hidden />}
          onClick={() => onChoose("calendly")}
        >
          {t("calendars.add_calendly")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ConnectionsProps {
  calendars: Calendars;
  onConnect: (provider: Provider) => void;
}

function Connections({ calendars, onConnect }: ConnectionsProps) {
  const { connections } = calendars;
  if (connections.length === 0) return <NoConnection onChoose={onConnect} />;
  return (
    <Stack gap="md">
      {connections.map((one) => (
        <ConnectionCard key={one.id} connection={one} calendars={calendars} />
      ))}
    </Stack>
  );
}

function NoConnection({ onChoose }: ConnectProps) {
  const { t } = useTranslation();
  return (
    <EmptyWithSteps
      title={t("calendars.empty")}
      text={t("calendars.empty_text")}
      steps={[
        {
          icon: IconBrandGoogle,
          hue: "sky",
          title: t("calendars.add_google"),
          text: t("calendars.add_google_hint"),
          onClick: () => onChoose("google"),
        },
        {
          icon: IconCalendarTime,
          hue: "indigo",
          title: t("calendars.add_calendly"),
          text: t("calendars.add_calendly_hint"),
          onClick: () => onChoose("calendly"),
        },
      ]}
    />
  );
}
