import { Button, Stack } from "@mantine/core";
import { IconBrandGoogle, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Empty, EmptyWithSteps } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { useSession } from "../../lib/session.ts";
import { calendarsQuery, type Calendars } from "./api.ts";
import { ConnectionCard } from "./connection-card.tsx";
import { GoogleDialog } from "./google-dialog.tsx";
import { ResultNotice } from "./result-notice.tsx";

/** Page for admins: accounts of Google Calendar with their state and mapping. */
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
      action={
        query.isSuccess &&
        !isEmpty && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={connecting.open}>
            {t("calendars.connect")}
          </Button>
        )
      }
    >
      <SettingsNav />
      <ResultNotice onRetry={connecting.open} />
      <QueryState query={query} rows={2} height={180}>
        {(calendars) => (
          <>
            <Connections calendars={calendars} onConnect={connecting.open} />
            {connecting.isOpen && (
              <GoogleDialog google={calendars.google} onClose={connecting.close} />
            )}
          </>
        )}
      </QueryState>
    </Page>
  );
}

/** The dialog that connects an account. The URL keeps it, so that other pages can lead to it. */
function useConnecting() {
  const [params, setParams] = useSearchParams();
  const set = (isOpen: boolean): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("connect");
        // A new attempt ends the notice about the last one.
        if (isOpen) next.delete("google");
        if (isOpen) next.set("connect", "google");
        return next;
      },
      { replace: true },
    );
  return {
    isOpen: params.get("connect") === "google",
    open: (): void => set(true),
    close: (): void => set(false),
  };
}

interface ConnectionsProps {
  calendars: Calendars;
  onConnect: () => void;
}

function Connections({ calendars: { connections, google }, onConnect }: ConnectionsProps) {
  if (connections.length === 0) return <NoConnection onConnect={onConnect} />;
  return (
    <Stack gap="md">
      {connections.map((one) => (
        <ConnectionCard key={one.id} connection={one} google={google} />
      ))}
    </Stack>
  );
}

function NoConnection({ onConnect }: Pick<ConnectionsProps, "onConnect">) {
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
          onClick: onConnect,
        },
      ]}
    />
  );
}
