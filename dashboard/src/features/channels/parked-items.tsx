import { Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { LogPager } from "../../components/log-pager.tsx";
import { Moment } from "../../components/moment.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { isEmptyLog } from "../../lib/empty-list.ts";
import { beforeIn, useUrlFilters } from "../../lib/url-filters.ts";
import { parkedQuery, type Channel, type ChannelItem } from "./api.ts";
import { ItemDrawer } from "./item-drawer.tsx";
import { itemKind, itemReason } from "../../lib/channel-words.ts";
import { RetryButton } from "./retry-button.tsx";

/** Items of a channel that could not be applied, newest first. */
export function ParkedItems({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters(["tab"]);
  const [opened, setOpened] = useState<ChannelItem | null>(null);
  const beforeId = beforeIn(params);
  const items = useQuery({
    ...parkedQuery(channel.id, beforeId),
    placeholderData: keepPreviousData,
  });
  return (
    <QueryState query={items}>
      {(page) =>
        isEmptyLog(page, beforeId) ? (
          <Empty title={t("channels.no_parked")} text={t("channels.no_parked_text")} />
        ) : (
          <>
            <Text size="sm" mb="sm">
              {t("channels.parked_text")}
            </Text>
            <ItemTable rows={page.data} onOpen={setOpened} />
            {page.data.length === 0 && <Text>{t("common.empty_page")}</Text>}
            <LogPager
              meta={page.meta}
              beforeId={beforeId}
              onMove={(id) => set("before", id === null ? null : String(id))}
            />
            {opened !== null && <ItemDrawer item={opened} onClose={() => setOpened(null)} />}
          </>
        )
      }
    </QueryState>
  );
}

interface ItemTableProps {
  rows: ChannelItem[];
  onOpen: (item: ChannelItem) => void;
}

function ItemTable({ rows, onOpen }: ItemTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("channels.parked")}
      minWidth={720}
      heads={[t("channels.item"), t("channels.item_reason"), t("channels.item_came"), ""]}
    >
      {rows.map((row) => (
        <Table.Tr key={row.id}>
          <Table.Td>
            <RowButton onClick={() => onOpen(row)}>{itemKind(row.kind)}</RowButton>
          </Table.Td>
          <Table.Td>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {itemReason(row.reason)}
            </Text>
          </Table.Td>
          <Table.Td>
            <Moment at={row.created_at} />
          </Table.Td>
          <Table.Td ta="end">
            <RetryButton item={row} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}
