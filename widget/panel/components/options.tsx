import { usePanel } from "../context.ts";

/** Options of the newest message. They are gone once the visitor has answered. */
export function Options() {
  const { chat, words, state } = usePanel();
  const { messages, unsent } = state;
  const message = messages.at(-1);
  const options = message?.options ?? null;
  if (message === undefined || options === null || unsent.length > 0) return null;
  if (message.deleted_at !== null) return null;
  const { kind, choices } = options;
  return (
    <div class={`options ${kind}`} role="group" aria-label={words.options}>
      {choices.map(({ id, title, description }) => (
        <button key={id} type="button" dir="auto" onClick={() => chat.choose(id, message)}>
          <span>{title}</span>
          {description !== null && <small>{description}</small>}
        </button>
      ))}
    </div>
  );
}
