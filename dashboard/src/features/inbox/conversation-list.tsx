import { Box } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "../../components/empty.tsx";
import { LoadingRows } from "../../components/load-states.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { ConversationRows } from "./conversation-rows.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { FirstRun } from "./first-run.tsx";
import styles from "./inbox.module.css";
import { ListHead } from "./list-head.tsx";
import { useListState, type ListChange } from "./list-state.ts";
import { useListCount } from "./use-list-count.ts";
import { useShortcuts } from "./use-shortcuts.ts";

const NewConversationModal = lazyPart(
  async () => (await import("./new-conversation-modal.tsx")).NewConversationModal,
);

const SandboxModal = lazyPart(async () => (await import("./sandbox-modal.tsx")).SandboxModal);
const ShortcutsModal = lazyPart(async () => (await import("./shortcuts-modal.tsx")).ShortcutsModal);

/** A view of the inbox: its head, its filters and its conversations. */
export function ConversationList({ openId }: { openId: number | null }) {
  const { t } = useTranslation();
  const [named, change] = useListState();
  const state = typeof named === "string" ? null : named;
  const [writing, write] = useDisclosure(false);
  const [helping, help] = useDisclosure(false);
  const [isStarting, start] = useUrlDisclosure();
  const search = useSearch(state?.filter.search ?? "", change);
  useShortcuts({ "/": search.open, "?": help.open });
  return (
    <Box component="section" className={styles["list"] ?? ""} aria-label={t("inbox.list")}>
      <ListHead
        state={state}
        change={change}
        count={useListCount(state)}
        onHelp={help.open}
        onSearch={search.open}
        onStart={start.open}
        onWrite={write.open}
      />
      {search.field}
      {state !== null && <FilterChips state={state} change={change} />}
      {named === "loading" && <LoadingRows />}
      {named === "gone" && <Empty title={t("inbox.gone_view")} text={t("inbox.gone_view_text")} />}
      {state !== null && (
        <ConversationRows
          key={JSON.stringify([state.view, state.order, state.filter])}
          state={state}
          openId={openId}
          onWrite={write.open}
        />
      )}
      {/* Below the rows: a card that comes late must not move what somebody is about to click. */}
      <FirstRun onWrite={write.open} />
      <Suspense fallback={null}>
        {writing && <SandboxModal onClose={write.close} />}
        {helping && <ShortcutsModal onClose={help.close} />}
        {isStarting && (
          <NewConversationModal
            isByUrl={start.isByUrl}
            onClose={start.close}
            onDone={start.forget}
          />
        )}
      </Suspense>
    </Box>
  );
}

/** The field of the search. It is there while it is used. */
function useSearch(value: string, change: (next: ListChange) => void) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const open = (): void => {
    setOpen(true);
    input.current?.focus();
  };
  const field = (isOpen || value !== "") && (
    <div
      className={styles["search"]}
      onBlur={() => {
        if (input.current?.value === "") setOpen(false);
      }}
    >
      <SearchInput
        size="xs"
        label={t("inbox.search_all")}
        value={value}
        onChange={(text) => change({ search: text.trim() === "" ? null : text.trim() })}
        inputRef={(element) => {
          // A field that opens takes the focus.
          if (element !== null && input.current === null && isOpen) element.focus();
          input.current = element;
        }}
      />
    </div>
  );
  return { open, field };
}
