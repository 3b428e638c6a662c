import { Anchor, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { LogPager } from "../../components/log-pager.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import {
  notificationTarget,
  useMarkRead,
  useNotificationWords,
  type NotificationRow,
} from "../../lib/notifications.ts";
import { groupRowsQuery } from "./api.ts";

interface GroupRowsProps {
  groupKey: string;
  /** Title of the cause, as label of the table. */
  label: string;
}

/** Every notification of one cause, newest first. */
export function GroupRows({ groupKey, label }: GroupRowsProps) {
  const [beforeId, setBeforeId] = useState<number | null>(null);
  const query = groupRowsQuery(groupKey, beforeId);
  const notifications = useQuery({ ...query, placeholderData: keepPreviousData });
  return (
    <QueryState query={notifications} rows={2}>
      {({ data, meta }) => (
        <>
          <WideTable label={label} minWidth={480}>
            {data.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </WideTable>
          <LogPager meta={meta} beforeId={beforeId} onMove={setBeforeId} />
        </>
      )}
    </QueryState>
  );
}

function Row({ row }: { row: NotificationRow }) {
  const { t } = useTranslation();
  const { title } = useNotificationWords(row);
  const markRead = useMarkRead();
  const to = notificationTarget(row);
  return (
    <Table.Tr>
      <Table.Td>
        {row.read_at === null && (
          <Text span c="accent" role="img" aria-label={t("bell.unread")}>
            ●{" "}
          </Text>
        )}
        {to === null ? (
          title
        ) : (
          <Anchor component={Link} to={to} size="sm" onClick={() => markRead.mutate([row.id])}>
            {title}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <Text size="xs" c="dimmed">
          <Moment at={row.created_at} />
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        {row.read_at === null && (
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => markRead.mutate([row.id])}
          >
            {t("notices.read")}
          </Anchor>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
