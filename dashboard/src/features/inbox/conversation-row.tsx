import { Checkbox, Skeleton, UnstyledButton, VisuallyHidden } from "@mantine/core";
import {
  IconCheck,
  IconClockPause,
  IconFileText,
  IconMapPin,
  IconMicrophone,
  IconMoon,
  IconPhoto,
  IconVideo,
  type Icon,
} from "@tabler/icons-react";
import { useEffect, useRef, useState, type CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import type { MessageType } from "../../../../core/model/message.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Chip } from "../../components/chip.tsx";
import { ConversationStatus } from "../../components/conversation-status.tsx";
import { WaitTime } from "../../components/wait-time.tsx";
import type { InboxRow } from "../../lib/inbox-queue.ts";
import type { StageHue } from "../../lib/pipelines.ts";
import { previewWords } from "../../lib/preview-words.ts";
import { useSession } from "../../lib/session.ts";
import { useColleagueName } from "../../lib/team.ts";
import { exactTime, rowTime, snoozeText, useNow } from "../../lib/time.ts";
import { conversationPath } from "../../paths.ts";
import type { RowAction } from "./bulk-result.ts";
import styles from "./inbox.module.css";
import { RowMenu } from "./row-menu.tsx";
import { snoozeChoices } from "./snooze-times.ts";
import type { Selection } from "./use-selection.ts";
import { useSwipe } from "./use-swipe.ts";

/** Height of a row in px. */
export const rowHeight = 76;

interface ConversationRowProps {
  /** Undefined while its page is loading. */
  row: InboxRow | undefined;
  /** Distance from the top of the list in px. */
  start: number;
  open: boolean;
  /** True where the row has to take the keyboard focus. `onFocused` confirms it. */
  focused: boolean;
  onFocused: (id: number) => void;
  selection: Selection;
  hueOfStage: StageHue;
  onAct: (row: InboxRow, action: RowAction) => void;
  /** Ends the snooze of the conversation. */
  onWake: (row: InboxRow) => void;
}

/** Row of a conversation, on a fixed grid: no content of a row moves other rows. */
export function ConversationRow(props: ConversationRowProps) {
  const { row, start, open, focused, onFocused } = props;
  const { selection, hueOfStage, onAct, onWake } = props;
  const { search } = useLocation();
  const link = useRef<HTMLAnchorElement>(null);
  const [isSwiped, setSwiped] = useState(false);
  const swipe = useSwipe(isSwiped, setSwiped);
  const id = row?.id;
  useEffect(() => {
    if (!focused || id === undefined) return;
    link.current?.focus({ preventScroll: true });
    onFocused(id);
  }, [focused, id, onFocused]);
  const style = { height: rowHeight, transform: `translateY(${start}px)` };
  if (row === undefined) return <LoadingRow style={style} />;
  const isSelecting = selection.rows.length > 0;
  const act = (action: RowAction): void => {
    setSwiped(false);
    onAct(row, action);
  };
  return (
    <div
      className={styles["row"]}
      style={style}
      data-conversation={row.id}
      data-open={open || undefined}
      data-selecting={isSelecting || undefined}
      data-selected={selection.has(row.id) || undefined}
      data-swiped={isSwiped || undefined}
      {...swipe}
    >
      <Link
        ref={link}
        onClick={(event) => {
          if (!event.shiftKey) return;
          event.preventDefault();
          selection.extend(row.id);
        }}
        to={{ pathname: conversationPath(row.id), search }}
        className={styles["rowLink"]}
        aria-current={open ? "page" : undefined}
        data-unread={row.unread_count > 0 || undefined}
      >
        <RowContent row={row} hueOfStage={hueOfStage} />
      </Link>
      <SelectBox row={row} selection={selection} />
      <RowMenu
        row={row}
        onAct={act}
        onWake={() => onWake(row)}
        className={styles["rowMenu"] ?? ""}
      />
      {isSwiped && <SwipeActions row={row} onAct={act} />}
    </div>
  );
}

function LoadingRow({ style }: { style: CSSProperties }) {
  return (
    <div className={styles["row"]} style={style}>
      <Skeleton height={36} circle />
      <div className={styles["lines"]}>
        <Skeleton height={12} width="60%" />
        <Skeleton height={10} />
      </div>
    </div>
  );
}

/** Box on the avatar that selects the row, seen while the pointer or the focus is on the row. */
function SelectBox({ row, selection }: { row: InboxRow; selection: Selection }) {
  const { t } = useTranslation();
  const name = row.contact?.name ?? t("inbox.no_contact");
  return (
    <span className={styles["select"]}>
      <Checkbox
        aria-label={t("bulk.select", { name })}
        checked={selection.has(row.id)}
        onChange={() => undefined}
        onClick={({ shiftKey }) => {
          if (shiftKey) selection.extend(row.id);
          else selection.toggle(row.id);
        }}
      />
    </span>
  );
}

/** Actions behind a row that a finger has swiped to the left. */
function SwipeActions({ row, onAct }: { row: InboxRow; onAct: (action: RowAction) => void }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const isResolved = row.status === "resolved";
  const now = new Date(useNow(60_000)).toISOString();
  const [first] = snoozeChoices(now, account.time_zone);
  return (
    <div className={styles["swipe"]}>
      {!isResolved && first !== undefined && (
        <UnstyledButton onClick={() => onAct({ type: "snooze", until: first.at })}>
          <IconClockPause size={22} stroke={1.75} aria-hidden />
          {t("snooze.action")}
        </UnstyledButton>
      )}
      <UnstyledButton data-main onClick={() => onAct({ type: isResolved ? "reopen" : "resolve" })}>
        <IconCheck size={22} stroke={1.75} aria-hidden />
        {t(isResolved ? "inbox.reopen" : "inbox.resolve")}
      </UnstyledButton>
    </div>
  );
}

type RowContentProps = Pick<ConversationRowProps, "hueOfStage"> & { row: InboxRow };

function RowContent({ row, hueOfStage }: RowContentProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const name = row.contact?.name ?? t("inbox.no_contact");
  return (
    <>
      <span className={styles["lines"]}>
        <span className={styles["line"]}>
          <span className={styles["name"]} dir="auto">
            {name}
          </span>
          <time
            className={styles["time"]}
            dateTime={row.last_message_at}
            title={exactTime(row.last_message_at, account.time_zone)}
          >
            {rowTime(row.last_message_at, account.time_zone, useNow(60_000))}
          </time>
        </span>
        <span className={styles["line"]}>
          <Preview row={row} />
          {row.unread_count > 0 && <Unread count={row.unread_count} />}
        </span>
        <RowFoot row={row} hueOfStage={hueOfStage} />
      </span>
      <span className={styles["face"]}>
        <Avatar id={row.contact_id} name={row.contact?.name ?? ""} channel={row.channel} />
      </span>
    </>
  );
}

const mediaIcons: Partial<Record<MessageType, Icon>> = {
  image: IconPhoto,
  sticker: IconPhoto,
  audio: IconMicrophone,
  video: IconVideo,
  document: IconFileText,
  location: IconMapPin,
};

/** The last message in one line. A file without a caption is named by its kind. */
function Preview({ row: { last_message: last } }: { row: InboxRow }) {
  const { t } = useTranslation();
  if (last === null) return <span className={styles["preview"]}>{t("inbox.no_message")}</span>;
  const { type, sender_type: sender } = last;
  const text = previewWords(t, last);
  const Picture = mediaIcons[type];
  return (
    <>
      {Picture !== undefined && <Picture size={15} stroke={1.75} aria-hidden />}
      <span className={styles["preview"]} dir="auto">
        {sender === "contact" ? text : `${t(`sender.${sender}`)}: ${text}`}
      </span>
    </>
  );
}

function Unread({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <>
      <span className={`${styles["unread"]} tabular`} data-count aria-hidden>
        {Math.min(count, 99)}
      </span>
      <VisuallyHidden>{t("inbox.unread", { count })}</VisuallyHidden>
    </>
  );
}

function RowFoot({ row, hueOfStage }: RowContentProps) {
  const { stage, tag } = row;
  return (
    <span className={styles["line"]} data-foot>
      {stage !== null && <Chip hue={hueOfStage(stage.stage_id)}>{stage.stage_name}</Chip>}
      {tag !== null && <Chip>{tag}</Chip>}
      <span className={styles["footEnd"]}>
        <RowState row={row} />
        {row.status !== "resolved" && <Assignee userId={row.assigned_to_user_id} />}
      </span>
    </span>
  );
}

/** Why the row is where it is: its end, its snooze, or the wait of the customer. */
function RowState({ row }: { row: InboxRow }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { status, snoozed_until: until, customer_waits_since: since } = row;
  if (status === "resolved") return <ConversationStatus status={status} />;
  if (until !== null) {
    const time = snoozeText(until, account.time_zone);
    return (
      <span className={styles["snoozed"]} title={t("inbox.snoozed_until", { time })}>
        <IconMoon size={13} stroke={1.75} aria-hidden />
        <VisuallyHidden>{t("inbox.snoozed_until", { time })}</VisuallyHidden>
        <span aria-hidden>{time}</span>
      </span>
    );
  }
  if (since === null) return null;
  return <WaitTime since={since} targetMinutes={account.answer_target_minutes} />;
}

function Assignee({ userId }: { userId: number | null }) {
  const { t } = useTranslation();
  const name = useColleagueName(userId);
  if (userId === null) return <Chip outline>{t("inbox.nobody")}</Chip>;
  return (
    <span className={styles["assignee"]} title={name ?? ""}>
      <Avatar id={userId} name={name ?? ""} size={20} />
      <VisuallyHidden>{name}</VisuallyHidden>
    </span>
  );
}
