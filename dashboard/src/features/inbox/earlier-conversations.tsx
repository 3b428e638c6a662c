import { Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import type { InboxRow } from "../../lib/inbox-queue.ts";
import { previewWords } from "../../lib/preview-words.ts";
import { useSession } from "../../lib/session.ts";
import { dayText, exactTime } from "../../lib/time.ts";
import { conversationPath } from "../../paths.ts";
import { BlockTitle } from "./block-title.tsx";
import styles from "./contact-panel.module.css";

/** Rows at first, of which one may be the open conversation, and at most. */
const firstRows = 6;
const mostRows = 100;

function useConversationsOf(contactId: number, limit: number) {
  return useQuery({
    queryKey: [...liveKeys.conversationLists, "of-contact", contactId, limit],
    queryFn: async () =>
      await callApi("GET /conversations", { query: { contact_id: contactId, limit } }),
    placeholderData: keepPreviousData,
  });
}

interface EarlierConversationsProps {
  contactId: number;
  openId: number;
}

/** The contact's other conversations, newest first. */
export function EarlierConversations({ contactId, openId }: EarlierConversationsProps) {
  const { t } = useTranslation();
  const [limit, setLimit] = useState(firstRows);
  const list = useConversationsOf(contactId, limit);
  return (
    <div className={styles["block"]} role="group" aria-label={t("contact.others")}>
      <BlockTitle>{t("contact.others")}</BlockTitle>
      <QueryState query={list} rows={1}>
        {({ data, meta }) => {
          const rows = data.filter(({ id }) => id !== openId);
          return (
            <>
              {rows.length === 0 && (
                <Text size="sm" c="dimmed">
                  {t("contact.no_others")}
                </Text>
              )}
              <ul className={styles["rows"]}>
                {rows.map((row) => (
                  <Row key={row.id} row={row} />
                ))}
              </ul>
              {meta.total > data.length && limit < mostRows && (
                <PendingButton
                  variant="subtle"
                  size="xs"
                  pending={list.isPlaceholderData}
                  onClick={() => setLimit(mostRows)}
                >
                  {t("contact.more_others")}
                </PendingButton>
              )}
            </>
          );
        }}
      </QueryState>
    </div>
  );
}

function Row({ row }: { row: InboxRow }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { last_message: last } = row;
  return (
    <li>
      <Link className={styles["row"]} to={conversationPath(row.id)}>
        <ChannelIcon channel={row.channel} />
        <span className={styles["rowText"]}>
          <span className={styles["cut"]} dir="auto">
            {last === null ? t("inbox.no_message") : previewWords(t, last)}
          </span>
          <small>
            {t(`status.${row.status}`)} ·{" "}
            <time
              dateTime={row.last_message_at}
              title={exactTime(row.last_message_at, account.time_zone)}
            >
              {dayText(row.last_message_at, account.time_zone)}
            </time>
          </small>
        </span>
      </Link>
    </li>
  );
}
