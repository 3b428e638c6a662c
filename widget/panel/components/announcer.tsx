import { usePanel } from "../context.ts";

/**
 * Says each new message of the company once to screen readers, with its author. The messages that one
 * sees are no live region, so that history and changes are not said again.
 */
export function Announcer() {
  const { words, state } = usePanel();
  return (
    <div class="hidden" role="log" aria-live="polite" aria-relevant="additions">
      {state.announced.map(({ id, author, content, attachments }) => (
        <p key={id}>
          {author?.is_ai ? words.aiLong : (author?.name ?? state.config.company)}:{" "}
          {content ?? attachments.map(({ filename }) => filename ?? words.file).join(", ")}
        </p>
      ))}
    </div>
  );
}
