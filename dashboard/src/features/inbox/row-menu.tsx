import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../lib/lazy-part.ts";
import type { InboxRow } from "../../lib/inbox-queue.ts";
import { useSession } from "../../lib/session.ts";
import type { RowAction } from "./bulk-result.ts";
import { SnoozeItems } from "./snooze-menu.tsx";

const SnoozeDialog = lazyPart(async () => (await import("./snooze-dialog.tsx")).SnoozeDialog);

interface RowMenuProps {
  row: InboxRow;
  onAct: (action: RowAction) => void;
  /** Ends the snooze of the conversation. */
  onWake: () => void;
  className: string;
}

/** Menu of a row: its person, its end, its snooze and its mark. */
export function RowMenu({ row, onAct, onWake, className }: RowMenuProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const [picking, pick] = useDisclosure(false);
  const isResolved = row.status === "resolved";
  const name = row.contact?.name ?? t("inbox.no_contact");
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={24}
            className={className}
            aria-label={t("inbox.row_menu", { name })}
          >
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {row.assigned_to_user_id !== user.id && (
            <Menu.Item onClick={() => onAct({ type: "assign", user_id: user.id })}>
              {t("inbox.assign_me")}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => onAct({ type: isResolved ? "reopen" : "resolve" })}>
            {t(isResolved ? "inbox.reopen" : "inbox.resolve")}
          </Menu.Item>
          <Menu.Item onClick={() => onAct({ type: row.unread_count > 0 ? "read" : "unread" })}>
            {t(row.unread_count > 0 ? "inbox.mark_read" : "inbox.mark_unread")}
          </Menu.Item>
          {!isResolved && (
            <>
              <Menu.Divider />
              <SnoozeItems
                isSnoozed={row.snoozed_until !== null}
                onSnooze={(until) => (until === null ? onWake() : onAct({ type: "snooze", until }))}
                onPick={pick.open}
              />
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {picking && (
          <SnoozeDialog
            onSnooze={(until) => onAct({ type: "snooze", until })}
            onClose={pick.close}
          />
        )}
      </Suspense>
    </>
  );
}
