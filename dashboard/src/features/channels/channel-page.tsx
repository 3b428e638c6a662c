import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Navigate, useParams } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { Empty } from "../../components/empty.tsx";
import { isMetaDriver } from "../../../../core/model/channels.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { UrlTabs } from "../../components/url-tabs.tsx";
import { useSession } from "../../lib/session.ts";
import { widgetsQuery } from "../../lib/widgets.ts";
import { paths, widgetPath } from "../../paths.ts";
import { useChannel, type Channel } from "./api.ts";
import { AppPanel } from "./app-panel.tsx";
import { ChannelActions } from "./channel-actions.tsx";
import { ChannelHealth } from "./channel-health.tsx";
import { ChannelStatus } from "./channel-status.tsx";
import { channelAddress, channelName } from "../../lib/channel-words.ts";
import { ParkedItems } from "./parked-items.tsx";

/** Page of a channel for admins: health, items that were set aside, and its Meta app. */
export function ChannelPage() {
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
  const { channel: id } = useParams();
  const query = useChannel(Number(id));
  return (
    <QueryState query={query}>
      {(channel) => {
        if (channel?.driver === "web") return <WebChannel id={channel.id} />;
        // A sandbox has no provider, so there is nothing to look at.
        if (channel === null || !isMetaDriver(channel.driver)) return <Gone />;
        return <Loaded key={channel.id} channel={channel} />;
      }}
    </QueryState>
  );
}

/** A channel of web chat has the page of its widget. */
function WebChannel({ id }: { id: number }) {
  return (
    <QueryState query={useQuery(widgetsQuery)}>
      {(widgets) => {
        const widget = widgets.find((one) => one.channel_account_id === id);
        return widget === undefined ? <Gone /> : <Navigate replace to={widgetPath(widget.id)} />;
      }}
    </QueryState>
  );
}

function Gone() {
  const { t } = useTranslation();
  return (
    <Page title={t("channels.title")} parent={{ to: paths.channels, label: t("channels.title") }}>
      <Empty title={t("channels.gone")} text={t("channels.gone_text")} />
    </Page>
  );
}

function Loaded({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const parked = channel.parked === 0 ? "" : ` ${channel.parked}`;
  return (
    <Page
      title={channelName(channel)}
      parent={{ to: paths.channels, label: t("channels.title") }}
      aside={<ChannelStatus channel={channel} />}
      action={<ChannelActions channel={channel} />}
    >
      <Group gap={8} mb="sm">
        <ChannelIcon channel={channel.channel} />
        <Text size="sm" c="dimmed">
          {t(`channels.driver.${channel.driver}`)} · <bdi>{channelAddress(channel)}</bdi>
        </Text>
      </Group>
      <UrlTabs
        tabs={[
          {
            name: "health",
            label: t("channels.tabs.health"),
            panel: <ChannelHealth channel={channel} />,
          },
          {
            name: "parked",
            label: `${t("channels.parked")}${parked}`,
            panel: <ParkedItems channel={channel} />,
          },
          { name: "app", label: t("channels.tabs.app"), panel: <AppPanel channel={channel} /> },
        ]}
      />
    </Page>
  );
}
