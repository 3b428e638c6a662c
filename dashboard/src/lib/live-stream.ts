import type { ChangeKind } from "../../../core/model/change.ts";
import type { ViewerView } from "../../../core/model/presence.ts";

/** A change in the account, by ids. */
export interface Change {
  kind: ChangeKind;
  conversation_id: number | null;
  contact_id: number | null;
  message_id: number | null;
}

/** People other than the user in a conversation. */
export interface Presence {
  conversation_id: number;
  viewers: ViewerView[];
}

/** A visitor of web chat types in a conversation, or has stopped. */
export interface VisitorTyping {
  conversation_id: number;
  is_typing: boolean;
}

/**
 * `everything`: refetch all queries. `change`: refetch the queries that the change affects.
 * `presence`: the people in a conversation, in place of those before.
 */
export type LiveEvent =
  | { type: "everything" }
  | { type: "change"; change: Change }
  | { type: "presence"; presence: Presence }
  | { type: "typing"; typing: VisitorTyping };

/** State of the stream of changes. */
export type LiveState = "live" | "cut";

interface Listener {
  onEvent: (event: LiveEvent) => void;
  onState: (state: LiveState) => void;
}

/** A message of the tab that holds the stream to every other one. */
export type Told = { event: LiveEvent } | { state: LiveState };

/** A browser does not reopen a connection that was refused, so we reopen it after this time. */
const reopenMs = 5_000;
/**
 * Longer than the 25 s between two heartbeats, with time for a slow network. A connection that is
 * silent for longer is reopened.
 */
const silenceMs = 40_000;

/** Channel on which a page of this browser hears what another part or tab of it reads. */
export function openTabs(accountId: number): BroadcastChannel {
  return new BroadcastChannel(`parley-changes-${accountId}`);
}

/**
 * Follows the account's changes until the returned function is called. `from` is the stream
 * position of the session, which was read before all other data. One tab of the browser holds the
 * stream and forwards the changes, since a browser opens only six connections to a host. Where
 * another tab takes over, it opens a new stream. Then every tab refetches everything, so no change
 * is lost.
 */
export function followChanges(accountId: number, from: string, listener: Listener): () => void {
  const tabs = openTabs(accountId);
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
  // A tab that follows another tab is live until that tab says otherwise.
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

/**
 * The Web Locks API exists only over https and on localhost. Elsewhere each tab opens its own
 * stream.
 */
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
  // The last change that the previous tab forwarded is unknown, so the stream begins at the
  // present.
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
      for (const type of ["open", "beat", "ready", "reset", "change", "presence", "typing"]) {
        source.addEventListener(type, hear);
      }
      hear();
      source.addEventListener("open", () => tell({ state: "live" }));
      source.addEventListener("ready", everything);
      source.addEventListener("reset", everything);
      for (const type of ["change", "typing", "presence"]) {
        source.addEventListener(type, ({ data }: MessageEvent<string>) => {
          tell({ event: { type, [type]: JSON.parse(data) as unknown } as unknown as LiveEvent });
        });
      }
      source.addEventListener("error", () => {
        tell({ state: "cut" });
        if (source.readyState !== EventSource.CLOSED) return;
        // The stream was refused, perhaps because the login has ended. A refetch of everything
        // finds that out.
        everything();
        reopenAfter(reopenMs);
      });
      return close;
    }
  });
}
