import { Button, Center } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellFailure } from "../../lib/notify.ts";
import styles from "./thread.module.css";
import type { useThread } from "./use-thread.ts";

interface NewerMessagesProps {
  thread: ReturnType<typeof useThread>;
  scroll: RefObject<HTMLElement | null>;
}

/** Loads the messages behind the newest loaded one, which stays where the reader sees it. */
export function NewerMessages({ thread, scroll }: NewerMessagesProps) {
  const { t } = useTranslation();
  const { messages, messageRows } = thread;
  const read = async (): Promise<void> => {
    const last = messageRows[0]?.id ?? 0;
    const { isFetchPreviousPageError, error } = await messages.fetchPreviousPage();
    if (isFetchPreviousPageError) tellFailure(t("common.load_failed"), error);
    requestAnimationFrame(() => {
      scroll.current?.querySelector(`[data-message="${last}"]`)?.scrollIntoView({ block: "end" });
    });
  };
  return (
    <Center pb={28}>
      <PendingButton
        size="compact-sm"
        variant="subtle"
        pending={messages.isFetchingPreviousPage}
        onClick={() => void read()}
      >
        {t("find.newer_messages")}
      </PendingButton>
    </Center>
  );
}

interface ToNewestProps {
  /** True where a message has just arrived, and not only older ones are shown. */
  isNew: boolean;
  onGo: () => void;
}

/** Leads to the newest message of the conversation. */
export function ToNewest({ isNew, onGo }: ToNewestProps) {
  const { t } = useTranslation();
  return (
    <Button
      className={styles["pill"] ?? ""}
      size="compact-sm"
      radius="xl"
      leftSection={<IconArrowDown size={14} aria-hidden />}
      onClick={onGo}
    >
      {t(isNew ? "inbox.new_messages" : "find.to_newest")}
    </Button>
  );
}
