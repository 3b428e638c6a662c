import { Box } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { SideDialog } from "../../components/dialog.tsx";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { isGone } from "../../lib/api.ts";
import { AssignSelect } from "./assign-select.tsx";
import { conversationQuery, type Conversation } from "./api.ts";
import { Composer } from "./composer.tsx";
import styles from "./inbox.module.css";
import { SelectDrawer, type SelectKey } from "./select-key.ts";
import { Thread } from "./thread.tsx";
import { ThreadHeader } from "./thread-header.tsx";
import { ThreadTools, type ThreadTool } from "./thread-tools.ts";
import { useAssignMe } from "./use-assign-me.ts";
import { useMarkUnread } from "./use-mark-unread.ts";

const ContactPanel = lazy(async () => ({
  default: (await import("./contact-panel.tsx")).ContactPanel,
}));

/** An opened conversation: its messages, with the contact beside them. */
export function ConversationView({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(conversationQuery(id));
  if (data === undefined || isGone(error)) {
    return (
      <div className={styles["thread"]}>
        {error === null ? <LoadingRows /> : <LoadFailed error={error} retry={refetch} />}
      </div>
    );
  }
  return <Opened conversation={data} />;
}

function Opened({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  useMarkUnread(conversation.id);
  useAssignMe(conversation);
  // Purpose of the opened drawer; null while it is closed.
  const [shown, show] = useState<"contact" | SelectKey | null>(null);
  const [tool, setTool] = useState<ThreadTool>(null);
  const drawer = { wanted: null, open: show };
  return (
    <SelectDrawer value={drawer}>
      <Box
        component="section"
        className={styles["thread"] ?? ""}
        aria-label={t("inbox.with", { name: conversation.contact.name })}
      >
        <ThreadTools value={setTool}>
          <ThreadHeader conversation={conversation} onContact={() => show("contact")} />
          <Thread conversation={conversation} tool={tool} />
        </ThreadTools>
        <Composer conversation={conversation} />
      </Box>
      <Box component="section" className={styles["context"] ?? ""} aria-label={t("contact.title")}>
        <Suspense fallback={<LoadingRows rows={4} />}>
          <ContactPanel conversation={conversation} />
        </Suspense>
      </Box>
      {shown !== null && (
        <SideDialog size={400} padding="md" onClose={() => show(null)} title={t("contact.title")}>
          <SelectDrawer value={{ ...drawer, wanted: shown === "contact" ? null : shown }}>
            <Box hiddenFrom="sm">
              <AssignSelect conversation={conversation} label={t("inbox.assignee")} />
            </Box>
            {/* The parts of the card have lines from edge to edge. */}
            <Box mx="calc(-1 * var(--mantine-spacing-md))">
              <Suspense fallback={<LoadingRows rows={4} />}>
                <ContactPanel conversation={conversation} />
              </Suspense>
            </Box>
          </SelectDrawer>
        </SideDialog>
      )}
    </SelectDrawer>
  );
}
