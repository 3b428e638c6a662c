import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { VisitMessage } from "../../../core/model/widget-visit.ts";
import { usePanel } from "../context.ts";
import { formatDay } from "../format.ts";
import type { PanelState } from "../state.ts";
import { Announcer } from "./announcer.tsx";
import { Bubble, UnsentBubble, UploadBubble } from "./bubble.tsx";
import { Composer } from "./composer.tsx";
import { Icon } from "./icon.tsx";
import { Notices } from "./notices.tsx";
import { Options } from "./options.tsx";
import { Suspended } from "./suspended.tsx";
import { nearPx, useScroll } from "./use-scroll.ts";
import { Typing } from "./typing.tsx";
import { Welcome } from "./welcome.tsx";

/** Messages of one author within this time in ms stand together. */
const groupMs = 5 * 60_000;

const loadBooking = async () => (await import("./booking.tsx")).Booking;

interface ThreadProps {
  /** The unsent text. */
  text: string;
  onText: (text: string) => void;
}

/** The conversation and the field for another message. */
export function Thread({ text, onText }: ThreadProps) {
  const { chat, state } = usePanel();
  const [isBooking, setBooking] = useState(false);
  const [isDropping, setDropping] = useState(false);
  const canDrop = state.config.settings.takes_files && state.phase === "chat";
  if (isBooking)
    return <Suspended load={loadBooking} props={{ onClose: () => setBooking(false) }} />;
  return (
    // Files are dropped anywhere. The button beside the field does the same.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <main
      class={isDropping ? "thread dropping" : "thread"}
      onDragOver={(event) => {
        if (!canDrop || !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={(event) => event.currentTarget === event.target && setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        if (canDrop) chat.uploads.add(event.dataTransfer?.files ?? []);
      }}
    >
      <Scroller />
      <Notices />
      <Composer text={text} onText={onText} onBook={() => setBooking(true)} />
      {isDropping && <DropHint />}
    </main>
  );
}

function DropHint() {
  const { words } = usePanel();
  return <div class="drop">{words.drop}</div>;
}

function Scroller() {
  const { chat, words, state } = usePanel();
  const { unsent, uploads, isTyping, nextBeforeId, isLoadingOlder } = state;
  const { box, hasNew, toEnd, onScroll, beforeOlder } = useScroll(state);
  const loadOlder = (): void => {
    beforeOlder();
    void chat.loadOlder();
  };
  return (
    <div class="scroll-place">
      <div
        class="scroll"
        ref={box}
        // The keyboard scrolls it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={words.conversation}
        onScroll={({ currentTarget: { scrollTop } }) => {
          onScroll();
          if (scrollTop < nearPx && nextBeforeId !== null && !isLoadingOlder) loadOlder();
        }}
      >
        <div class="messages">
          {nextBeforeId === null ? (
            <Welcome />
          ) : (
            <button type="button" class="older" disabled={isLoadingOlder} onClick={loadOlder}>
              {isLoadingOlder ? words.loading : words.older}
            </button>
          )}
          <Messages state={state} />
          {unsent.map((one) => (
            <UnsentBubble key={one.body.client_id} unsent={one} />
          ))}
          {uploads.map((one) => (
            <UploadBubble key={one.clientId} upload={one} />
          ))}
          {isTyping && <Typing />}
          <Options />
        </div>
      </div>
      {hasNew && (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" />
          {words.newMessages}
        </button>
      )}
      <Announcer />
    </div>
  );
}

function Messages({ state }: { state: PanelState }) {
  const { words } = usePanel();
  const { messages, locale, unsent } = state;
  const lastOwn = messages.findLast(({ direction }) => direction === "inbound")?.id;
  return (
    <ol class="list">
      {messages.map((message, index) => {
        const before = messages[index - 1];
        const after = messages[index + 1];
        const day = formatDay(message.created_at, locale, words);
        const isNewDay =
          before === undefined || day !== formatDay(before.created_at, locale, words);
        return (
          <Fragment key={message.id}>
            {isNewDay && (
              <li class="day">
                <span>{day}</span>
              </li>
            )}
            <Bubble
              message={message}
              isFirst={isNewDay || !isSameGroup(before, message)}
              isLast={after === undefined || !isSameGroup(message, after)}
              showsStatus={message.id === lastOwn && unsent.length === 0}
            />
          </Fragment>
        );
      })}
    </ol>
  );
}

function isSameGroup(before: VisitMessage | undefined, message: VisitMessage): boolean {
  if (before === undefined || before.direction !== message.direction) return false;
  if (before.author?.name !== message.author?.name) return false;
  if (before.author?.is_ai !== message.author?.is_ai) return false;
  return Date.parse(message.created_at) - Date.parse(before.created_at) < groupMs;
}
