import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ItemModal } from "../../components/agent/item-modal.tsx";
import { Pager } from "../../components/pager.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { Tick } from "../../components/tick.tsx";
import {
  itemsQuery,
  useAskAgain,
  useDecideItems,
  type Decision,
  type Item,
} from "../../lib/knowledge.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";
import styles from "./agent.module.css";

/**
 * Suggestions of people, pages and files, to approve or dismiss. Nothing where there are none. The
 * form of one outlives its row, which goes when a colleague decides.
 */
export function Suggestions() {
  const isAdmin = useSession().role === "admin";
  const [editing, setEditing] = useState<Item | null>(null);
  return (
    <>
      <SuggestionList onEdit={setEditing} />
      {editing !== null && (
        <ItemModal item={editing} approves={isAdmin} onClose={() => setEditing(null)} />
      )}
    </>
  );
}

type OnEdit = (item: Item) => void;

function SuggestionList({ onEdit }: { onEdit: OnEdit }) {
  const [offset, setOffset] = useState(0);
  const page = useQuery(itemsQuery({ state: "suggested" }, offset)).data;
  if (page === undefined || page.meta.total === 0) return null;
  return (
    <Queue rows={page.data} total={page.meta.total} onEdit={onEdit}>
      <Pager meta={page.meta} onMove={setOffset} />
    </Queue>
  );
}

interface QueueProps {
  rows: Item[];
  total: number;
  onEdit: OnEdit;
  children: ReactNode;
}

function Queue({ rows, total, onEdit, children }: QueueProps) {
  const { t } = useTranslation();
  const isAdmin = useSession().role === "admin";
  const title = useFocusAfterRow<HTMLHeadingElement>(rows.length);
  const { chosen, toggle, selected, decide, isPending } = useSelection(rows);
  const keys: RowKeys = {
    a: (item) => isAdmin && decide(item, "approved"),
    d: (item) => isAdmin && decide(item, "archived"),
    e: (item) => {
      onEdit(item);
      return false;
    },
  };
  return (
    <Paper withBorder p="lg" component="section" aria-label={t("knowledge.suggestions")}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" mih={36}>
          <Title order={2} ref={title} tabIndex={-1}>
            {t("knowledge.suggestions")} <span className={styles["count"]}>{total}</span>
          </Title>
          {isAdmin && selected.length > 0 && (
            <SelectionBar count={selected.length} pending={isPending} onDecide={decide} />
          )}
        </Group>
        <Text size="xs" c="dimmed" className={(isAdmin && styles["keys"]) || ""}>
          {t(isAdmin ? "knowledge.suggestions_keys" : "knowledge.proposes")}
        </Text>
        <ul className={styles["gaps"]}>
          {rows.map((item) => (
            <SuggestionRow
              key={item.id}
              item={item}
              checked={chosen.has(item.id)}
              canDecide={isAdmin}
              keys={keys}
              onToggle={() => toggle(item.id)}
            />
          ))}
        </ul>
        {children}
      </Stack>
    </Paper>
  );
}

/** @returns false while an earlier decision is being stored, which nothing follows then. */
type Decide = (item: Item | null, state: Decision) => boolean;

/** Selected rows, and decisions on them. */
function useSelection(rows: readonly Item[]) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const { send, isPending } = useDecision();
  const selected = rows.filter(({ id }) => chosen.has(id));
  const toggle = (id: number): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  /** Decides on the selection where the row belongs to it or is null, else on the row alone. */
  const decide: Decide = (item, state) => {
    const items = item === null || chosen.has(item.id) ? selected : [item];
    return send(items, state, () => setChosen(new Set()));
  };
  return { chosen, toggle, selected, decide, isPending };
}

interface SelectionBarProps {
  count: number;
  pending: boolean;
  onDecide: Decide;
}

function SelectionBar({ count, pending, onDecide }: SelectionBarProps) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" role="toolbar" aria-label={t("knowledge.decide_selected")}>
      <Text size="sm" c="dimmed" role="status">
        {t("knowledge.selected", { count })}
      </Text>
      <Button variant="subtle" color="gray" size="xs" onClick={() => onDecide(null, "archived")}>
        {t("knowledge.dismiss_selected")}
      </Button>
      <PendingButton
        variant="default"
        size="xs"
        pending={pending}
        onClick={() => onDecide(null, "approved")}
      >
        {t("knowledge.approve_selected")}
      </PendingButton>
    </Group>
  );
}

/** Decides on items and tells the result. One approved item is asked again. */
function useDecision() {
  const { t } = useTranslation();
  const change = useDecideItems();
  const askAgain = useAskAgain();
  const send = (items: readonly Item[], state: Decision, onDone: () => void): boolean => {
    if (change.isPending) return false;
    const ids = items.map(({ id }) => id);
    const tell = (changed: readonly Item[]): void => {
      onDone();
      const [only] = changed;
      if (state === "approved" && changed.length === 1 && only !== undefined) {
        void askAgain(only.question, only);
      } else tellDone(t(`knowledge.decided.${state}`, { count: changed.length }));
    };
    // Awaited, because the queue is gone once its last suggestion is decided.
    change
      .mutateAsync({ ids, state })
      .then(tell, (error: unknown) => tellFailure(t("knowledge.not_changed"), error));
    return true;
  };
  return { send, isPending: change.isPending };
}

/** Actions of the keys that work while the focus is in a row. True where the row is to go. */
type RowKeys = Record<"a" | "d" | "e", (item: Item) => boolean>;

interface SuggestionRowProps {
  item: Item;
  checked: boolean;
  canDecide: boolean;
  keys: RowKeys;
  onToggle: () => void;
}

function SuggestionRow({ item, checked, canDecide, keys, onToggle }: SuggestionRowProps) {
  const { t } = useTranslation();
  const { question } = item;
  const onKeyDown = (event: KeyboardEvent): void => pressInRow(event, item, keys);
  const button = { variant: "subtle", color: "gray", size: "xs", onKeyDown };
  return (
    <li className={styles["suggestion"]}>
      {canDecide && (
        <Tick
          label={t("knowledge.select_one", { question })}
          checked={checked}
          onChange={onToggle}
          onKeyDown={onKeyDown}
        />
      )}
      <SuggestionText item={item} />
      <Group gap={4} wrap="nowrap">
        <Button
          {...button}
          aria-label={t("knowledge.edit_one", { question })}
          onClick={() => keys.e(item)}
        >
          {t("knowledge.edit")}
        </Button>
        {canDecide && (
          <>
            <Button
              {...button}
              aria-label={t("knowledge.dismiss_one", { question })}
              onClick={() => keys.d(item)}
            >
              {t("knowledge.dismiss")}
            </Button>
            <Button
              {...button}
              variant="default"
              aria-label={t("knowledge.approve_one", { question })}
              onClick={() => keys.a(item)}
            >
              {t("knowledge.approve")}
            </Button>
          </>
        )}
      </Group>
    </li>
  );
}

/** Question and answer, with the approved answer above where the suggestion replaces one. */
function SuggestionText({ item: { question, answer, replaces } }: { item: Item }) {
  const { t } = useTranslation();
  return (
    <div className={styles["asked"]}>
      <Text fw={500} dir="auto">
        {question}
      </Text>
      {replaces !== null && (
        <Text size="sm" c="dimmed" dir="auto" className={styles["before"] ?? ""}>
          <span>{t("knowledge.now")}</span> {replaces.answer}
        </Text>
      )}
      <Text size="sm" dir="auto" lineClamp={4} className={styles["text"] ?? ""}>
        {replaces !== null && <b>{t("knowledge.new")} </b>}
        {answer}
      </Text>
    </div>
  );
}

/** The arrows go to the next row, a letter acts on the row that has the focus. */
function pressInRow(event: KeyboardEvent, item: Item, keys: RowKeys): void {
  const { key, currentTarget, ctrlKey, metaKey, altKey, repeat } = event;
  const row = currentTarget.closest("li");
  if (row === null || ctrlKey || metaKey || altKey) return;
  const { nextElementSibling: next, previousElementSibling: previous } = row;
  if (key === "ArrowDown") focusRow(next);
  else if (key === "ArrowUp") focusRow(previous);
  else if (isKey(key)) {
    // The row goes with a decision, so the focus goes on to another one. A held key decides once.
    if (!repeat && keys[key](item)) focusRow(next ?? previous);
  } else return;
  event.preventDefault();
}

function focusRow(row: Element | null): void {
  row?.querySelector<HTMLElement>("input, button")?.focus();
}

function isKey(key: string): key is keyof RowKeys {
  return key === "a" || key === "d" || key === "e";
}
