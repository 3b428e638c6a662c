import { Box, Center, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useContext, useEffect, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { namedDay } from "../../lib/time.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { conversationQuery, type Conversation } from "./api.ts";
import { MessageBubble } from "./bubble.tsx";
import { MediaShow } from "./media-show.tsx";
import { ChangeGroup, NoteItem } from "./note-item.tsx";
import styles from "./thread.module.css";
import { buildTimeline, firstUnread, type TimelineItem } from "./timeline.ts";
import { ThreadTools, type ThreadTool } from "./thread-tools.ts";
import { useMarkRead } from "./use-mark-read.ts";
import { useGoal, usePlace } from "./use-place.ts";
import { useThread } from "./use-thread.ts";

const ThreadSearch = lazyPart(async () => (await import("./thread-search.tsx")).ThreadSearch);
const DayDialog = lazyPart(async () => (await import("../../components/day-dialog.tsx")).DayDialog);
const NewerMessages = lazyPart(async () => (await import("./newer-messages.tsx")).NewerMessages);
const ToNewest = lazyPart(async () => (await import("./newer-messages.tsx")).ToNewest);

interface ThreadProps {
  conversation: Conversation;
  tool: ThreadTool;
}

/** Messages and notes of a conversation. Older and newer ones are loaded on request. */
export function Thread({ conversation, tool }: ThreadProps) {
  const place = usePlace();
  const thread = useThread(conversation.id, place.place);
  const { messages, notes } = thread;
  const failed = [messages, notes].find((one) => one.error !== null && one.data === undefined);
  if (failed !== undefined) return <LoadFailed error={failed.error} retry={failed.refetch} />;
  if (messages.data === undefined || notes.data === undefined) return <LoadingRows />;
  return <Loaded {...{ conversation, tool, thread, place }} />;
}

interface LoadedProps extends ThreadProps {
  thread: ReturnType<typeof useThread>;
  place: ReturnType<typeof usePlace>;
}

function Loaded({ conversation, tool, thread, place }: LoadedProps) {
  const { t } = useTranslation();
  const { messageRows, isPast, sendingId } = thread;
  const { goal, go } = place;
  const firstUnreadId = useFirstUnread(conversation, thread);
  const items = useTimeline(thread, firstUnreadId ?? null);
  // Once messages are read, the server no longer counts them as new.
  useMarkRead(conversation, messageRows, firstUnreadId !== undefined);
  const { scroll, atEnd, onScroll, toEnd } = useEnd();
  const pill = useNewMessages(messageRows[0]?.id ?? 0, atEnd);
  const linkedId = useGoal(goal, thread, scroll);
  // A reply stands at the end, so the reader goes there with it.
  useEffect(() => {
    if (sendingId === undefined) return;
    if (isPast) go("newest");
    else scroll.current?.scrollTo({ top: 0 });
  }, [isPast, sendingId, go, scroll]);
  return (
    <>
      <Tools {...{ conversation, tool, thread, place, scroll }} />
      <Box pos="relative" flex={1} mih={0} display="flex">
        <Box
          ref={scroll}
          onScroll={onScroll}
          className={styles["messages"] ?? ""}
          role="log"
          aria-label={t("inbox.messages")}
          tabIndex={0}
        >
          <div className={styles["flow"]}>
            <OlderButton messages={thread.messages} />
            <MediaShow messages={messageRows}>
              {items.map((item) => (
                <TimelineEntry key={item.key} item={item} linkedId={linkedId} />
              ))}
            </MediaShow>
            {isPast && (
              <Suspense fallback={null}>
                <NewerMessages thread={thread} scroll={scroll} />
              </Suspense>
            )}
          </div>
        </Box>
        {(isPast || pill) && (
          <Suspense fallback={null}>
            <ToNewest isNew={!isPast} onGo={isPast ? () => go("newest") : toEnd} />
          </Suspense>
        )}
      </Box>
    </>
  );
}

interface ToolsProps extends LoadedProps {
  scroll: RefObject<HTMLElement | null>;
}

/** The open tool of the thread. Its code is fetched when it opens. */
function Tools({ conversation, tool, thread, place, scroll }: ToolsProps) {
  const setTool = useContext(ThreadTools);
  const close = (): void => setTool(null);
  const day = typeof tool === "object" ? tool?.day : undefined;
  return (
    <Suspense fallback={null}>
      {tool === "search" && (
        <ThreadSearch {...{ conversation, thread, place, scroll }} onClose={close} />
      )}
      {day !== undefined && (
        <DayDialog
          day={day}
          from={conversation.created_at}
          onPick={(at) => place.go({ at })}
          onClose={close}
        />
      )}
    </Suspense>
  );
}

/**
 * The first message that was new when the conversation was opened; null without one. It is fixed
 * then, so that the line stays in place while the person reads. A conversation of a moment ago
 * shows its cached state first. So the result is undefined until its new state is read.
 */
function useFirstUnread(
  { id, unread_count: unread }: Conversation,
  { messages, messageRows, isPast }: LoadedProps["thread"],
): number | null | undefined {
  const { isFetching } = useQuery(conversationQuery(id));
  const find = () => (isPast ? null : firstUnread(messageRows, unread));
  const [firstUnreadId, setFirst] = useState(messages.isFetchedAfterMount ? find : undefined);
  if (firstUnreadId === undefined && !isFetching && !messages.isFetching) setFirst(find());
  return firstUnreadId;
}

function useTimeline(thread: LoadedProps["thread"], firstUnreadId: number | null): TimelineItem[] {
  const { account } = useSession();
  const { messageRows, noteRows, messages, notes, isPast } = thread;
  return buildTimeline({
    messages: messageRows,
    notes: noteRows,
    moreMessages: messages.hasNextPage,
    moreNotes: notes.hasNextPage,
    isPast,
    firstUnreadId,
    dayOf: (moment) => namedDay(moment, account.time_zone),
  });
}

function OlderButton({ messages }: Pick<LoadedProps["thread"], "messages">) {
  const { t } = useTranslation();
  if (!messages.hasNextPage) return null;
  const readOlder = async (): Promise<void> => {
    const { isFetchNextPageError, error } = await messages.fetchNextPage();
    if (isFetchNextPageError) tellFailure(t("common.load_failed"), error);
  };
  return (
    <Center>
      <PendingButton
        size="compact-sm"
        variant="subtle"
        pending={messages.isFetchingNextPage}
        onClick={() => void readOlder()}
      >
        {t("inbox.older")}
      </PendingButton>
    </Center>
  );
}

/**
 * True while the newest message is in view. The list is reversed, so that a scroll position of 0 is
 * its end.
 */
function useEnd() {
  const scroll = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const onScroll = (): void => setAtEnd((scroll.current?.scrollTop ?? 0) > -40);
  const toEnd = (): void => scroll.current?.scrollTo({ top: 0 });
  return { scroll, atEnd, onScroll, toEnd };
}

/** True where a message arrived while the person reads older ones. */
function useNewMessages(newestId: number, atEnd: boolean): boolean {
  const [seenId, setSeenId] = useState(newestId);
  if (atEnd && newestId !== seenId) setSeenId(newestId);
  return !atEnd && newestId > seenId;
}

interface TimelineEntryProps {
  item: TimelineItem;
  linkedId: number | null;
}

function TimelineEntry({ item, linkedId }: TimelineEntryProps) {
  const { t } = useTranslation();
  switch (item.type) {
    case "day":
      return <DaySeparator date={item.date} label={item.label} />;
    case "unread":
      return <div className={`${styles["line"]} ${styles["unread"]}`}>{t("inbox.new")}</div>;
    case "message": {
      const { message, retried } = item;
      return <MessageBubble message={message} retried={retried} linked={message.id === linkedId} />;
    }
    case "note":
      return <NoteItem note={item.note} />;
    case "changes":
      return <ChangeGroup notes={item.notes} />;
  }
}

/** Names the day, and opens the calendar there. */
function DaySeparator({ date, label }: { date: string; label: string }) {
  const { t } = useTranslation();
  const openTool = useContext(ThreadTools);
  return (
    <UnstyledButton
      className={styles["dayButton"] ?? ""}
      title={t("shortcuts.day")}
      aria-haspopup="dialog"
      onClick={() => openTool({ day: date })}
    >
      <span className={styles["day"]}>{label}</span>
    </UnstyledButton>
  );
}
