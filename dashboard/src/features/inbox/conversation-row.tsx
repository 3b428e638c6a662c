import { Badge, Group, Skeleton, Text, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { WaitTime } from "../../components/wait-time.tsx";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { Moment } from "../../components/moment.tsx";
import { conversationPath } from "../../paths.ts";
import type { InboxRow } from "./api.ts";
import { HandoffStatus } from "./handoff-status.tsx";
import styles from "./inbox.module.css";

/** Height of a row in px. */
export const rowHeight = 76;

interface ConversationRowProps {
  /** Undefined while its page is loading. */
  row: InboxRow | undefined;
  /** Distance from the top of the list in px. */
  start: number;
  open: boolean;
  /** True where the row has to take the keyboard focus. `onFocused` confirms it. */
  focused: boolean;
  onFocused: (id: number) => void;
}

/** Row of a conversation: contact, time, last message, and number of unread messages. */
export function ConversationRow(props: ConversationRowProps) {
  const { row, start, open, focused, onFocused } = props;
  const { t } = useTranslation();
  const { search } = useLocation();
  const link = useRef<HTMLAnchorElement>(null);
  const id = row?.id;
  useEffect(() => {
    if (!focused || id === undefined) return;
    link.current?.focus({ preventScroll: true });
    onFocused(id);
  }, [focused, id, onFocused]);
  const style = { height: rowHeight, transform: `translateY(${start}px)` };
  if (row === undefined) {
    return (
      <div className={styles["row"]} style={style}>
        <Skeleton height={12} width="60%" />
        <Skeleton height={10} />
      </div>
    );
  }
  const unread = row.unread_count > 0;
  return (
    <Link
      ref={link}
      to={{ pathname: conversationPath(row.id), search }}
      className={styles["row"]}
      style={style}
      aria-current={open ? "page" : undefined}
    >
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text truncate fw={unread ? 700 : 500} dir="auto">
          {row.contact?.name ?? t("inbox.no_contact")}
        </Text>
        <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
          <Moment at={row.last_message_at} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed" truncate dir="auto">
        <LastMessage row={row} />
      </Text>
      <RowFoot row={row} />
    </Link>
  );
}

function RowFoot({ row }: { row: InboxRow }) {
  return (
    <Group gap={6} wrap="nowrap" c="dimmed">
      <ChannelIcon channel={row.channel} />
      {row.status !== "active" && (
        <HandoffStatus
          status={row.status}
          handoffAt={row.handoff_at}
          answeredByUserId={row.answered_by_user_id}
        />
      )}
      <Group gap="xs" ml="auto" wrap="nowrap">
        <RowWait row={row} />
        {row.unread_count > 0 && <Unread count={row.unread_count} />}
      </Group>
    </Group>
  );
}

/** Wait of the customer, where the customer wrote last. */
function RowWait({ row: { status, last_message: last, last_message_at: at } }: { row: InboxRow }) {
  if (status === "resolved" || last?.sender_type !== "contact") return null;
  return <WaitTime since={at} />;
}

function Unread({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <>
      <Badge variant="filled" circle aria-hidden>
        {Math.min(count, 99)}
      </Badge>
      <VisuallyHidden>{t("inbox.unread", { count })}</VisuallyHidden>
    </>
  );
}

function LastMessage({ row: { last_message: last } }: { row: InboxRow }) {
  const { t } = useTranslation();
  if (last === null) return t("inbox.no_message");
  if (last.sender_type === "contact") return last.preview;
  return `${t(`sender.${last.sender_type}`)}: ${last.preview}`;
}
