import { ActionIcon, Box, Group, Title, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKeyboard, IconMessagePlus } from "@tabler/icons-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { ConversationRows } from "./conversation-rows.tsx";
import { FirstRun } from "./first-run.tsx";
import styles from "./inbox.module.css";
import { ListFilters } from "./list-filters.tsx";
import { filterOf, useListState } from "./list-state.ts";
import { SandboxModal } from "./sandbox-modal.tsx";
import { ShortcutsModal } from "./shortcuts-modal.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

/** The conversations that there are, newest message first. */
export function ConversationList({ openId }: { openId: number | null }) {
  const { t } = useTranslation();
  const [state, change] = useListState();
  const [writing, write] = useDisclosure(false);
  const [helping, help] = useDisclosure(false);
  const search = useRef<HTMLInputElement>(null);
  const focusSearch = (): void => search.current?.focus();
  useShortcuts({ "/": focusSearch, "?": help.open });
  return (
    <Box component="section" className={styles["list"] ?? ""} aria-label={t("inbox.list")}>
      <Group justify="space-between" px="md" pt="sm" wrap="nowrap">
        <Title order={1}>{t("inbox.title")}</Title>
        <Group gap={4}>
          <Tooltip label={t("shortcuts.title")}>
            <ActionIcon
              variant="subtle"
              color="gray"
              visibleFrom="sm"
              onClick={help.open}
              aria-label={t("shortcuts.title")}
            >
              <IconKeyboard size={18} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t("sandbox.title")}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={write.open}
              aria-label={t("sandbox.title")}
            >
              <IconMessagePlus size={18} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <ListFilters state={state} change={change} searchRef={search} />
      <FirstRun onWrite={write.open} />
      <ConversationRows
        filter={filterOf(state)}
        view={state.view}
        openId={openId}
        onWrite={write.open}
      />
      {writing && <SandboxModal onClose={write.close} />}
      {helping && <ShortcutsModal onClose={help.close} />}
    </Box>
  );
}
