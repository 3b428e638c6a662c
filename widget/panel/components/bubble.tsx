import type { VisitMessage } from "../../../core/model/widget-visit.ts";
import { usePanel } from "../context.ts";
import { fill, formatFull, formatTime, initialOf } from "../format.ts";
import type { Unsent } from "../net/outbox.ts";
import type { Upload } from "../state.ts";
import { PlainText, RichText } from "../text/rich-text.tsx";
import { Attachments } from "./attachments.tsx";
import { Icon } from "./icon.tsx";
import { wordsOfError } from "./trouble.tsx";

interface BubbleProps {
  message: VisitMessage;
  /** First and last of the messages that stand together. */
  isFirst: boolean;
  isLast: boolean;
  showsStatus: boolean;
}

/** A message that the API has. */
export function Bubble({ message, isFirst, isLast, showsStatus }: BubbleProps) {
  const { state } = usePanel();
  const { author, direction, created_at } = message;
  const isOwn = direction === "inbound";
  const side = isOwn ? "own" : "theirs";
  const ends = `${isFirst ? " first" : ""}${isLast ? " last" : ""}`;
  return (
    <li class={`message ${side}${ends}`}>
      {!isOwn && isFirst && (
        <Author name={author?.name ?? state.config.company} isAi={author?.is_ai ?? false} />
      )}
      <div class="line">
        {!isOwn && isLast && (
          <span class="avatar" aria-hidden="true">
            {author?.is_ai ? (
              <Icon name="spark" />
            ) : (
              initialOf(author?.name ?? state.config.company)
            )}
          </span>
        )}
        <Content message={message} isOwn={isOwn} />
      </div>
      {(isLast || showsStatus) && (
        <p class="meta">
          <time dir="auto" dateTime={created_at} title={formatFull(created_at, state.locale)}>
            {formatTime(created_at, state.locale)}
          </time>
          <Facts message={message} showsStatus={showsStatus} />
        </p>
      )}
    </li>
  );
}

function Author({ name, isAi }: { name: string; isAi: boolean }) {
  const { words } = usePanel();
  return (
    <p class="author">
      <bdi>{name}</bdi>
      {isAi && (
        <abbr class="ai" title={words.aiLong}>
          {words.ai}
        </abbr>
      )}
    </p>
  );
}

function Content({ message, isOwn }: { message: VisitMessage; isOwn: boolean }) {
  const { words, state } = usePanel();
  const { content, attachments, deleted_at, reply_to_message_id, option_id } = message;
  if (deleted_at !== null) return <div class="bubble gone">{words.deleted}</div>;
  // The choice of an option repeats its title, so the question above is enough.
  const quoted =
    reply_to_message_id === null || option_id !== null
      ? undefined
      : state.messages.find(({ id }) => id === reply_to_message_id);
  const hasText = content !== null && content !== "";
  return (
    <div class="body">
      <Attachments attachments={attachments} />
      {hasText && (
        <div class="bubble" dir="auto">
          {/* The direction of the bubble is that of the message alone. */}
          <bdi class="hidden">{isOwn ? words.you : (message.author?.name ?? "")}: </bdi>
          {quoted && <blockquote dir="auto">{quoted.content ?? words.file}</blockquote>}
          {isOwn ? <PlainText text={content} /> : <RichText text={content} />}
        </div>
      )}
    </div>
  );
}

function Facts({ message, showsStatus }: { message: VisitMessage; showsStatus: boolean }) {
  const { words, state } = usePanel();
  const seenTo = state.conversation?.seen_message_id ?? 0;
  const isSeen = message.id <= seenTo;
  return (
    <>
      {message.edited_at !== null && message.deleted_at === null && <span>{words.edited}</span>}
      {showsStatus && (
        <span class={isSeen ? "state seen" : "state"}>
          <Icon name="check" />
          {isSeen ? words.seen : words.sent}
        </span>
      )}
    </>
  );
}

/** A message that waits, is on its way, or was refused. */
export function UnsentBubble({ unsent }: { unsent: Unsent }) {
  const { chat, words, state } = usePanel();
  const { body, state: place, error } = unsent;
  const option = state.messages
    .flatMap(({ options }) => options?.choices ?? [])
    .find(({ id }) => id === body.option_id);
  const text = body.content ?? option?.title ?? words.file;
  return (
    <div class="message own first last unsent">
      <div class="line">
        <div class="body">
          <div class="bubble" dir="auto">
            <PlainText text={text} />
          </div>
        </div>
      </div>
      {place === "failed" ? (
        <p class="meta bad" role="alert">
          {words.failed} {wordsOfError(words, error ?? "unknown", null)}
          <button type="button" class="link" onClick={() => chat.retry(body.client_id)}>
            {words.retry}
          </button>
          <button type="button" class="link" onClick={() => chat.remove(body.client_id)}>
            {fill(words.remove, { name: "" }).trim()}
          </button>
        </p>
      ) : (
        <p class="meta">{place === "waiting" && error !== null ? words.waiting : words.sending}</p>
      )}
    </div>
  );
}

/** A file on its way. */
export function UploadBubble({ upload }: { upload: Upload }) {
  const { chat, words } = usePanel();
  const { clientId, file, preview, part, error } = upload;
  return (
    <div class="message own first last">
      <div class="line">
        <div class="body">
          {preview === null ? (
            <div class="file">
              <Icon name="file" />
              <bdi>{file.name}</bdi>
            </div>
          ) : (
            <img class="picture" src={preview} alt={file.name} />
          )}
        </div>
      </div>
      {error === null ? (
        <progress max={1} value={part} aria-label={`${words.sending} ${file.name}`} />
      ) : (
        <p class="meta bad" role="alert">
          {wordsOfError(words, error, null)}
          <button type="button" class="link" onClick={() => chat.uploads.retry(clientId)}>
            {words.retry}
          </button>
        </p>
      )}
      <button type="button" class="link" onClick={() => chat.uploads.remove(clientId)}>
        {fill(words.remove, { name: file.name })}
      </button>
    </div>
  );
}
