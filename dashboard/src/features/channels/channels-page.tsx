import { Button } from "@mantine/core";
import { IconBrandWhatsapp, IconMessageCircle, IconMessages, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { Empty, EmptyWithSteps } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { channelsQuery, type Channel } from "./api.ts";
import { ChannelTable } from "./channel-table.tsx";
import { UnroutedNotice } from "./unrouted-notice.tsx";

/** Page for admins: the numbers, Pages and Instagram accounts with their state. */
export function ChannelsPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  if (role === "admin") return <Looked />;
  return (
    <Page title={t("channels.title")}>
      <Empty title={t("channels.admins")} text={t("error.forbidden_role")} />
    </Page>
  );
}

function Looked() {
  const { t } = useTranslation();
  const channels = useQuery(channelsQuery);
  return (
    <Page title={t("channels.title")} action={<Actions />}>
      <QueryState query={channels}>{(rows) => <Channels rows={rows} />}</QueryState>
    </Page>
  );
}

function Actions() {
  const { t } = useTranslation();
  return (
    <>
      <Button
        component={Link}
        to={paths.webChat}
        variant="default"
        leftSection={<IconMessageCircle size={16} aria-hidden />}
      >
        {t("web_chat.title")}
      </Button>
      <Button
        component={Link}
        to={paths.channelConnect}
        leftSection={<IconPlus size={16} aria-hidden />}
      >
        {t("channels.connect")}
      </Button>
    </>
  );
}

function Channels({ rows }: { rows: Channel[] }) {
  const sandboxes = rows.filter(({ driver }) => driver === "sandbox");
  // A web chat that was deleted cannot be connected again.
  const isDeleted = ({ driver, state }: Channel) => driver === "web" && state === "disconnected";
  const real = rows.filter((row) => row.driver !== "sandbox" && !isDeleted(row));
  return (
    <>
      <UnroutedNotice />
      {rows.length === 0 && <NoChannel />}
      {rows.length > 0 && (
        <div>
          {real.length === 0 && <NoChannel />}
          <ChannelTable rows={[...real, ...sandboxes]} />
        </div>
      )}
    </>
  );
}

/** Leads into the steps, with the network chosen already. */
function NoChannel() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const go = (query: string) => (): void => void navigate(`${paths.channelConnect}${query}`);
  return (
    <EmptyWithSteps
      title={t("channels.empty")}
      text={t("channels.empty_text")}
      steps={[
        {
          icon: IconBrandWhatsapp,
          hue: "moss",
          title: t("channels.add_whatsapp"),
          text: t("channels.add_whatsapp_hint"),
          onClick: go("?driver=whatsapp_cloud&step=app"),
        },
        {
          icon: IconMessages,
          hue: "indigo",
          title: t("channels.add_meta"),
          text: t("channels.add_meta_hint"),
          onClick: go(""),
        },
      ]}
    />
  );
}
