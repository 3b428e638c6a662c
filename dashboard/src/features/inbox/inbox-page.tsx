import { useDocumentTitle } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { Empty } from "../../components/empty.tsx";
import { ConversationList } from "./conversation-list.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { useViewLinks } from "../../lib/view-links.ts";
import styles from "./inbox.module.css";
import { Selecting } from "./selection.ts";

/** Inbox with three panes: list, conversation and contact. A phone shows one pane at a time. */
export function InboxPage() {
  const { t } = useTranslation();
  const { conversation } = useParams();
  const id = /^[1-9]\d{0,14}$/.test(conversation ?? "") ? Number(conversation) : null;
  const needAnswer = useViewLinks().find(({ key }) => key === "needs_answer")?.count ?? "";
  const count = needAnswer === "" ? "" : ` (${needAnswer})`;
  useDocumentTitle(`${t("inbox.title")}${count} · Parley`);
  const [isSelecting, set] = useState(false);
  return (
    <Selecting value={{ isSelecting, set }}>
      <div className={styles["panes"]} data-open={conversation !== undefined}>
        <ConversationList openId={id} />
        {id === null ? (
          <div className={styles["thread"]}>
            <Empty title={t("inbox.choose")} text={t("inbox.choose_text")} />
          </div>
        ) : (
          <ConversationView key={id} id={id} />
        )}
      </div>
    </Selecting>
  );
}
