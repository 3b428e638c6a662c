import { useEffect, useState } from "preact/hooks";
import { usePanel } from "../context.ts";
import { Icon } from "./icon.tsx";
import { wordsOfError } from "./trouble.tsx";

/** A short break of the stream is no news. */
const shortBreakMs = 4_000;

/** Says that the network is away, or why a call was refused. */
export function Notices() {
  const { chat, words, state } = usePanel();
  const { notice, isOnline, isLive, conversation } = state;
  const isBroken = conversation !== null && !isLive;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!isBroken) return;
    const timer = setTimeout(() => setLong(true), shortBreakMs);
    return () => clearTimeout(timer);
  }, [isBroken]);
  const refused = notice === null ? null : wordsOfError(words, notice.code, notice.seconds);
  const away = isOnline ? (isLong ? words.reconnecting : null) : words.offlineNow;
  return (
    <div role="status" class="notices">
      {away !== null && <p class="notice">{away}</p>}
      {refused !== null && (
        <p class={notice?.code === "erase_requested" ? "notice" : "notice bad"}>
          {refused}
          <button
            type="button"
            class="bare small"
            aria-label={words.close}
            onClick={() => chat.dismissNotice()}
          >
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  );
}
