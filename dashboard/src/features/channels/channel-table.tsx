import { Group, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isMetaDriver } from "../../../../core/model/channels.ts";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { Chip } from "../../components/chip.tsx";
import { Moment } from "../../components/moment.tsx";
import { RowLink, WideTable } from "../../components/wide-table.tsx";
import { channelPath } from "../../paths.ts";
import type { Channel } from "./api.ts";
import { ChannelStatus } from "./channel-status.tsx";
import { channelAddress, channelName, reasonWords } from "../../lib/channel-words.ts";

/** The channels with their state, the fix of a trouble, and their last traffic. */
export function ChannelTable({ rows }: { rows: Channel[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("channels.title")}
      minWidth={920}
      heads={[
        t("common.name"),
        t("channels.state_head"),
        t("channels.last_in"),
        t("channels.last_out"),
        { label: t("channels.parked"), isEnd: true },
        { label: t("channels.unrouted_head"), isEnd: true },
      ]}
    >
      {rows.map((row) => (
        <ChannelRow key={row.id} row={row} />
      ))}
    </WideTable>
  );
}

function ChannelRow({ row }: { row: Channel }) {
  const { t } = useTranslation();
  const isSandbox = row.driver === "sandbox";
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        <Name row={row} />
      </Table.Td>
      <Table.Td maw={360}>
        {isSandbox ? (
          <Text size="xs" c="dimmed">
            {t("channels.sandbox_text")}
          </Text>
        ) : (
          <State row={row} />
        )}
      </Table.Td>
      <Table.Td>{isMetaDriver(row.driver) && <Last at={row.last_webhook_at} />}</Table.Td>
      <Table.Td>{!isSandbox && <Last at={row.last_sent_at} />}</Table.Td>
      <Table.Td ta="end">{!isSandbox && <Count count={row.parked} />}</Table.Td>
      <Table.Td ta="end">{!isSandbox && <Count count={row.unrouted} />}</Table.Td>
    </Table.Tr>
  );
}

function Name({ row }: { row: Channel }) {
  const { t } = useTranslation();
  const name = (
    <Text span inherit truncate display="block">
      {channelName(row)}
    </Text>
  );
  const address = channelAddress(row);
  return (
    <Group gap={10} wrap="nowrap">
      <ChannelIcon channel={row.channel} />
      <div style={{ minWidth: 0 }}>
        {row.driver === "sandbox" ? name : <RowLink to={channelPath(row.id)}>{name}</RowLink>}
        {row.driver === "sandbox" ? (
          <Chip>{t("channels.sandbox")}</Chip>
        ) : (
          <Text size="xs" c="dimmed" truncate>
            {t(`channels.driver.${row.driver}`)}
            {address !== null && " · "}
            {address !== null && <bdi>{address}</bdi>}
          </Text>
        )}
      </div>
    </Group>
  );
}

/** State, and below it the fix of a trouble. */
function State({ row }: { row: Channel }) {
  const words = reasonWords(row.reason);
  return (
    <>
      <ChannelStatus channel={row} />
      {row.state !== "connected" && words !== null && (
        <Text size="xs" c="var(--parley-ink-2)" mt={4}>
          {words.reason} {words.fix}
        </Text>
      )}
    </>
  );
}

function Last({ at }: { at: string | null }) {
  const { t } = useTranslation();
  if (at !== null) return <Moment at={at} />;
  return (
    <Text size="sm" c="dimmed">
      {t("channels.never")}
    </Text>
  );
}

function Count({ count }: { count: number }) {
  const { i18n } = useTranslation();
  return (
    <Text span className="tabular" c={count === 0 ? "dimmed" : "var(--parley-warn)"}>
      {count.toLocaleString(i18n.language)}
    </Text>
  );
}
