import { CloseButton, Menu, Text } from "@mantine/core";
import {
  IconCheck,
  IconClockPause,
  IconMail,
  IconMailOpened,
  IconRotate,
  IconUserCheck,
} from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconAction } from "../../components/icon-action.tsx";
import type { InboxRow } from "../../lib/inbox-queue.ts";
import { useSession } from "../../lib/session.ts";
import { useTeam } from "../../lib/team.ts";
import type { RowAction } from "./bulk-result.ts";
import styles from "./inbox.module.css";
import { SnoozeMenu } from "./snooze-menu.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

interface BulkBarProps {
  /** The selected conversations. */
  rows: InboxRow[];
  onAct: (action: RowAction) => void;
  onClear: () => void;
}

/** Actions on the selected conversations, at the bottom of the list. */
export function BulkBar({ rows, onAct, onClear }: BulkBarProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const [menu, setMenu] = useState<"snooze" | "assign" | null>(null);
  const areResolved = rows.every(({ status }) => status === "resolved");
  const isUnread = rows.some(({ unread_count: count }) => count > 0);
  const resolve = { type: areResolved ? "reopen" : "resolve" } as const;
  useShortcuts({
    e: () => onAct(resolve),
    u: () => onAct({ type: "unread" }),
    i: () => onAct({ type: "assign", user_id: user.id }),
    z: () => setMenu("snooze"),
    a: () => setMenu("assign"),
  });
  const toggle = (name: "snooze" | "assign") => (opened: boolean) => setMenu(opened ? name : null);
  return (
    <div className={styles["bulk"]} role="toolbar" aria-label={t("bulk.title")}>
      <Text fw={500} className="tabular" role="status" flex={1} truncate>
        {t("bulk.selected", { count: rows.length })}
      </Text>
      <IconAction
        label={t(areResolved ? "inbox.reopen" : "inbox.resolve")}
        onClick={() => onAct(resolve)}
      >
        {areResolved ? <IconRotate size={17} /> : <IconCheck size={17} />}
      </IconAction>
      <SnoozeMenu
        opened={menu === "snooze"}
        onChange={toggle("snooze")}
        onSnooze={(until) => until !== null && onAct({ type: "snooze", until })}
      >
        <IconAction
          label={t("snooze.action")}
          aria-expanded={menu === "snooze"}
          onClick={() => toggle("snooze")(menu !== "snooze")}
        >
          <IconClockPause size={17} />
        </IconAction>
      </SnoozeMenu>
      <AssignMenu opened={menu === "assign"} onChange={toggle("assign")} onAct={onAct}>
        <IconAction
          label={t("bulk.assign")}
          aria-expanded={menu === "assign"}
          onClick={() => toggle("assign")(menu !== "assign")}
        >
          <IconUserCheck size={17} />
        </IconAction>
      </AssignMenu>
      <IconAction
        label={t(isUnread ? "inbox.mark_read" : "inbox.mark_unread")}
        onClick={() => onAct({ type: isUnread ? "read" : "unread" })}
      >
        {isUnread ? <IconMailOpened size={17} /> : <IconMail size={17} />}
      </IconAction>
      <CloseButton size="sm" aria-label={t("bulk.clear")} onClick={onClear} />
    </div>
  );
}

interface AssignMenuProps extends Pick<BulkBarProps, "onAct"> {
  opened: boolean;
  onChange: (opened: boolean) => void;
  children: ReactNode;
}

function AssignMenu({ opened, onChange, onAct, children }: AssignMenuProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const team = useTeam().filter((one) => one.disabled_at === null && one.id !== user.id);
  const assign = (user_id: number | null) => () => onAct({ type: "assign", user_id });
  return (
    <Menu opened={opened} onChange={onChange} position="top-end" width={220}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
        <Menu.Item onClick={assign(user.id)}>{t("inbox.assign_me")}</Menu.Item>
        <Menu.Item onClick={assign(null)}>{t("inbox.nobody")}</Menu.Item>
        {team.map(({ id, name }) => (
          <Menu.Item key={id} onClick={assign(id)} dir="auto">
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
