import { usePanel } from "../context.ts";
import { fill } from "../format.ts";
import type { Words } from "../locales/words.ts";
import { Icon } from "./icon.tsx";

/** Words of a refusal. */
export function wordsOfError(words: Words, code: string, seconds: number | null): string {
  return fill(words.errors[code] ?? words.errors.unknown, { seconds: seconds ?? 60 });
}

/** The chat could not begin: why, and another try where it may help. */
export function Trouble() {
  const { chat, words, state } = usePanel();
  const { notice, phase } = state;
  return (
    <main class="page">
      <div class="trouble" role="alert">
        <Icon name="warning" />
        {phase === "failed" && <strong>{words.startFailed}</strong>}
        <p>{wordsOfError(words, notice?.code ?? "unknown", notice?.seconds ?? null)}</p>
      </div>
      {phase === "failed" && (
        <button type="button" class="primary" onClick={() => void chat.start()}>
          {words.retry}
        </button>
      )}
    </main>
  );
}
