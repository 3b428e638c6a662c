import { UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSparkles } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { clockTime, exactTime } from "../../lib/time.ts";
import { useSession } from "../../lib/session.ts";
import { useColleagueName } from "../../lib/team.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import { MessageContent } from "./message-content.tsx";
import { EditedMark, Reactions } from "./message-extras.tsx";
import { MessageMenu, useMessageMenu } from "./message-menu.tsx";
import { MessageStatusIcon } from "./message-status-icon.tsx";
import styles from "./thread.module.css";
import { TryAgain, useTryAgain } from "./try-again.tsx";

const TurnDrawer = lazyPart(
  async () => (await import("../../components/agent/turn-drawer.tsx")).TurnDrawer,
);

const Rating = lazyPart(async () => (await import("../../components/agent/rating.tsx")).Rating);

interface MessageBubbleProps {
  message: MessageView;
  /** True where a retry has replaced this failed message. */
  retried: boolean;
  /** True where a link to this message was followed. */
  linked: boolean;
}

/** Bubble of a message: the customer's on the left, ours on the right with author and status. */
export function MessageBubble({ message, retried, linked }: MessageBubbleProps) {
  const own = message.direction === "outbound";
  const menu = useMessageMenu();
  return (
    <div
      className={styles["entry"]}
      data-message={message.id}
      data-own={own || undefined}
      data-ai={message.sender_type === "ai" || undefined}
      data-linked={linked || undefined}
    >
      <div className={styles["bubble"]} dir="auto" data-bubble {...menu.hold}>
        <MessageContent message={message} />
      </div>
      <Reactions reactions={message.reactions} />
      <div className={styles["meta"]}>
        {own && <Author message={message} />}
        <SentAt at={message.created_at} />
        {message.edited_at !== null && message.deleted_at === null && (
          <EditedMark at={message.edited_at} />
        )}
        {own && <MessageStatusIcon status={message.status} />}
        {message.sender_type === "ai" && message.id > 0 && <Why messageId={message.id} />}
        {message.sender_type === "ai" && message.id > 0 && (
          <Suspense fallback={null}>
            <Rating message={message} />
          </Suspense>
        )}
      </div>
      {message.error !== null && (
        <div className={styles["failure"]}>{errorCodeText(message.error)}</div>
      )}
      {own && message.status === "failed" && !retried ? (
        <FailedActions message={message} menu={menu} />
      ) : (
        <MessageMenu message={message} opened={menu.opened} onChange={menu.setOpened} />
      )}
    </div>
  );
}

/** Button that shows the trace of the agent's message. Its code is fetched with the first click. */
function Why({ messageId }: { messageId: number }) {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <span>
      <UnstyledButton className={styles["why"] ?? ""} aria-haspopup="dialog" onClick={open}>
        {t("inbox.why")}
      </UnstyledButton>
      {opened && (
        <Suspense fallback={null}>
          <TurnDrawer of={{ messageId }} onClose={close} />
        </Suspense>
      )}
    </span>
  );
}

interface FailedActionsProps {
  message: MessageView;
  menu: ReturnType<typeof useMessageMenu>;
}

/** Button and menu of a failed message; both send the message again. */
function FailedActions({ message, menu }: FailedActionsProps) {
  const retry = useTryAgain(message);
  return (
    <>
      <TryAgain retry={retry} />
      <MessageMenu
        message={message}
        opened={menu.opened}
        onChange={menu.setOpened}
        onRetry={retry.start}
      />
    </>
  );
}

function Author({ message }: { message: MessageView }) {
  const { t } = useTranslation();
  const name = useColleagueName(message.sender_user_id);
  return (
    <span>
      {message.sender_type === "ai" && (
        <IconSparkles size={12} className={styles["spark"]} aria-hidden />
      )}
      {name ?? t(`sender.${message.sender_type}`)}
    </span>
  );
}

function SentAt({ at }: { at: string }) {
  const { account } = useSession();
  return (
    <time dateTime={at} title={exactTime(at, account.time_zone)}>
      {clockTime(at, account.time_zone)}
    </time>
  );
}
