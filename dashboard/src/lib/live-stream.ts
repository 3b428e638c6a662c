import type { ChangeKind } from "../../../core/model/change.ts";

/** What changed in the account, by ids. */
export interface Change {
  kind: ChangeKind;
  conversation_id: number | null;
  contact_id: number | null;
  message_id: number | null;
}

/** Everything is to be read again, or what one change names. */
export type LiveEvent = { type: "everything" } | { type: "change"; change: Change };

/** Whether changes arrive. */
export type LiveState = "live" | "cut";

interface Listener {
  onEvent: (event: LiveEvent) => void;
  onState: (state: LiveState) => void;
}

type Told = { event: LiveEvent } | { state: LiveState };

/** A browser gives up on a connection that was refused; we do not. */
const reopenMs = 5_000;
/** Above two of the beats that come every 15 s: what dies without a word is opened anew. */
const silenceMs = 40_000;

/**
 * Follows the account's changes from where the session stood, which was read before anything else, until
 * the returned function is called. One tab of the browser holds the stream and tells the others, since a
 * browser has six connections to a host; where another tab takes over, its stream begins anew and
 * everybody reads everything once, so nothing is missed.
 */
export function followChanges(accountId: number, from: string, listener: Listener): () => void {
  const tabs = new BroadcastChannel(`parley-changes-${accountId}`);
  const stop = new AbortController();
  const tell = (told: Told): void => {
    if ("event" in told) listener.onEvent(told.event);
    else listener.onState(told.state);
  };
  const tellAll = (told: Told): void => {
    if (stop.signal.aborted) return;
    tell(told);
    tabs.postMessage(told);
  };
  tabs.onmessage = ({ data }: MessageEvent<Told>) => tell(data);
  // A tab that follows another one is live as long as that one does not say otherwise.
  listener.onState("live");
  holdStream({ accountId, from, tell: tellAll, signal: stop.signal }).catch(() => undefined);
  return () => {
    stop.abort();
    tabs.close();
  };
}

interface Following {
  accountId: number;
  from: string;
  tell: (told: Told) => void;
  signal: AbortSignal;
}

/** Locks exist only over https and on this machine; elsewhere each tab has a stream of its own. */
async function holdStream(following: Following): Promise<void> {
  if (!("locks" in navigator)) return await readStream(following, following.from);
  const { locks } = navigator;
  const name = `parley-stream-${following.accountId}`;
  const held = await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await readStream(following, following.from);
    return true;
  });
  if (held) return;
  // What the tab before it told last is not known: from the present on.
  const { signal } = following;
  await locks.request(name, { signal }, async () => await readStream(following, null));
}

async function readStream({ tell, signal }: Following, from: string | null): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    let leave = open(from === null ? "" : `?after=${from}`);
    signal.addEventListener("abort", () => {
      leave();
      resolve();
    });
    function open(query = ""): () => void {
      const source = new EventSource(`/dashboard/api/stream${query}`);
      let silence = 0;
      const close = (): void => {
        window.clearTimeout(silence);
        source.close();
      };
      const reopenAfter = (ms: number): void => {
        close();
        window.setTimeout(() => {
          if (!signal.aborted) leave = open();
        }, ms);
      };
      const hear = (): void => {
        window.clearTimeout(silence);
        silence = window.setTimeout(() => {
          tell({ state: "cut" });
          reopenAfter(0);
        }, silenceMs);
      };
      const everything = (): void => tell({ event: { type: "everything" } });
      for (const type of ["open", "beat", "ready", "reset", "change"]) {
        source.addEventListener(type, hear);
      }
      hear();
      source.addEventListener("open", () => tell({ state: "live" }));
      source.addEventListener("ready", everything);
      source.addEventListener("reset", everything);
      source.addEventListener("change", ({ data }: MessageEvent<string>) => {
        tell({ event: { type: "change", change: JSON.parse(data) as Change } });
      });
      source.addEventListener("error", () => {
        tell({ state: "cut" });
        if (source.readyState !== EventSource.CLOSED) return;
        // Refused, perhaps since the login has ended: a look at everything finds out.
        everything();
        reopenAfter(reopenMs);
      });
      return close;
    }
  });
}
