import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBook2, IconCopy, IconDots, IconLink, IconRefresh } from "@tabler/icons-react";
import { Suspense, useEffect, useRef, useState, type MouseEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { copyText } from "../../lib/copy.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { messagePath } from "../../paths.ts";
import styles from "./thread.module.css";

const SaveKnowledge = lazyPart(async () => (await import("./save-knowledge.tsx")).SaveKnowledge);

/** Time in ms after which a finger on a bubble opens its menu. */
const holdMs = 450;

/** State of a message's menu, and handlers for the bubble that a finger holds. */
export function useMessageMenu() {
  const [opened, setOpened] = useState(false);
  const timer = useRef<number>(undefined);
  const stop = (): void => window.clearTimeout(timer.current);
  useEffect(() => stop, []);
  const hold = {
    onPointerDown: ({ pointerType, target }: PointerEvent) => {
      // A held link has the browser's own menu.
      const isLink = target instanceof Element && target.closest("a, audio, video") !== null;
      if (pointerType !== "mouse" && !isLink) {
        timer.current = window.setTimeout(() => setOpened(true), holdMs);
      }
    },
    onPointerUp: stop,
    // A finger that scrolls is cancelled by the browser.
    onPointerCancel: stop,
    onContextMenu: (event: MouseEvent<HTMLElement>) => {
      const { nativeEvent } = event;
      if (nativeEvent instanceof window.PointerEvent && nativeEvent.pointerType !== "mouse") {
        event.preventDefault();
      }
    },
  };
  return { opened, setOpened, hold };
}

interface MessageMenuProps {
  message: MessageView;
  opened: boolean;
  onChange: (opened: boolean) => void;
  /** Sends a failed message again; absent for every other message. */
  onRetry?: () => void;
}

/** Menu of a message. Its button appears on hover and focus. */
export function MessageMenu({ message, opened, onChange, onRetry }: MessageMenuProps) {
  const { t } = useTranslation();
  const [saving, save] = useDisclosure(false);
  const { id, conversation_id, content } = message;
  // A reply that is being sent has no id yet, so nothing could find it.
  const isStored = id > 0;
  if (!isStored && content === null) return null;
  const url = new URL(messagePath(conversation_id, id), window.location.origin).href;
  const canSave = isStored && message.sender_type === "user" && content !== null;
  return (
    <>
      <Menu position="bottom" opened={opened} onChange={onChange} withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            className={styles["menu"] ?? ""}
            aria-label={t("inbox.message_actions")}
          >
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {onRetry !== undefined && (
            <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRetry}>
              {t("inbox.try_again")}
            </Menu.Item>
          )}
          {content !== null && (
            <Menu.Item
              leftSection={<IconCopy size={16} aria-hidden />}
              onClick={() => void copyText(content)}
            >
              {t("inbox.copy_text")}
            </Menu.Item>
          )}
          {isStored && (
            <Menu.Item
              leftSection={<IconLink size={16} aria-hidden />}
              onClick={() => void copyText(url)}
            >
              {t("inbox.copy_link")}
            </Menu.Item>
          )}
          {canSave && (
            <Menu.Item leftSection={<IconBook2 size={16} aria-hidden />} onClick={save.open}>
              {t("inbox.save_knowledge")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {saving && (
        <Suspense fallback={null}>
          <SaveKnowledge reply={message} onClose={save.close} />
        </Suspense>
      )}
    </>
  );
}
