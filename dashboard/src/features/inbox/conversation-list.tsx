import { Box, Group, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEdit, IconFlask, IconKeyboard } from "@tabler/icons-react";
import { Suspense, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";
import { ConversationRows } from "./conversation-rows.tsx";
import { FirstRun } from "./first-run.tsx";
import styles from "./inbox.module.css";
import { ListFilters } from "./list-filters.tsx";
import { filterOf, useListState } from "./list-state.ts";
import { SandboxModal } from "./sandbox-modal.tsx";
import { ShortcutsModal } from "./shortcuts-modal.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

const NewConversationModal = lazyPart(
  async () => (await import("./new-conversation-modal.tsx")).NewConversationModal,
);

/** List of conversations, newest message first. */
export function ConversationList({ openId }: { openId: number | null }) {
  const { t } = useTranslation();
  const [state, change] = useListState();
  const [writing, write] = useDisclosure(false);
  const [helping, help] = useDisclosure(false);
  const [isStarting, start] = useUrlDisclosure();
  const search = useRef<HTMLInputElement>(null);
  const focusSearch = (): void => search.current?.focus();
  useShortcuts({ "/": focusSearch, "?": help.open });
  return (
    <Box component="section" className={styles["list"] ?? ""} aria-label={t("inbox.list")}>
      <ListHead onHelp={help.open} onStart={start.open} onWrite={write.open} />
      <ListFilters state={state} change={change} searchRef={search} />
      <FirstRun onWrite={write.open} />
      <ConversationRows
        filter={filterOf(state)}
        view={state.view}
        openId={openId}
        onWrite={write.open}
      />
      {writing && <SandboxModal onClose={write.close} />}
      <Suspense fallback={null}>
        {isStarting && (
          <NewConversationModal
            isByUrl={start.isByUrl}
            onClose={start.close}
            onDone={start.forget}
          />
        )}
      </Suspense>
      {helping && <ShortcutsModal onClose={help.close} />}
    </Box>
  );
}

interface ListHeadProps {
  onHelp: () => void;
  onStart: () => void;
  onWrite: () => void;
}

function ListHead({ onHelp, onStart, onWrite }: ListHeadProps) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" className={styles["listHead"] ?? ""} wrap="nowrap">
      <Title order={1} size="h2">
        {t("inbox.title")}
      </Title>
      <Group gap={4}>
        <IconAction label={t("shortcuts.title")} visibleFrom="sm" onClick={onHelp}>
          <IconKeyboard size={18} />
        </IconAction>
        <IconAction label={t("new_conversation.title")} onClick={onStart}>
          <IconEdit size={18} />
        </IconAction>
        <IconAction label={t("sandbox.title")} onClick={onWrite}>
          <IconFlask size={18} />
        </IconAction>
      </Group>
    </Group>
  );
}
