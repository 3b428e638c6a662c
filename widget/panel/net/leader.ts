import { newId } from "../new-id.ts";
import type { StreamEvent } from "./sse-parser.ts";

/** Messages between the tabs of one browser that show the same widget. */
type TabMessage<Shared> =
  | { kind: "ask"; from: string }
  | { kind: "lead"; from: string; since: number; isLive: boolean }
  | { kind: "bye"; from: string }
  | { kind: "event"; from: string; owner: string | undefined; event: StreamEvent }
  | { kind: "wants_shared"; from: string }
  | { kind: "shared"; from: string; shared: Shared };

/** Time in ms within which the leader answers. Timers of hidden tabs are slow, messages are not. */
const answerMs = 400;
const askEveryMs = 5_000;

interface TabOptions<Shared> {
  /** The channel's name; tabs with the same name elect one leader. */
  name: string;
  onLead: (isLeader: boolean) => void;
  /** Id of the visitor whose events this tab may show; undefined without a session. */
  readOwner: () => string | undefined;
  onEvent: (event: StreamEvent) => void;
  /** True while the stream of this tab lives. */
  readLive: () => boolean;
  /** State of the leader's stream. */
  onLive: (isLive: boolean) => void;
  /** State that another tab may take over, such as the session; null: nothing yet. */
  readShared: () => Shared | null;
  onShared: (shared: Shared) => unknown;
}

/**
 * The tabs of one browser. One leads and holds the stream, and passes its events on. Where the browser
 * has no BroadcastChannel, every tab leads itself.
 */
export class Tabs<Shared> {
  readonly #options: TabOptions<Shared>;
  readonly #id = newId();
  readonly #channel: BroadcastChannel | null;
  #since: number | null = null;
  #answered = false;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #isOn = false;

  constructor(options: TabOptions<Shared>) {
    this.#options = options;
    this.#channel = openChannel(options.name);
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage<Shared>>) =>
      this.#receive(data),
    );
    let wasOn = false;
    addEventListener("pagehide", () => {
      wasOn = this.#isOn;
      this.stop();
    });
    // The browser may show the same page again, as it was.
    addEventListener("pageshow", () => wasOn && this.start());
  }

  get isLeader(): boolean {
    return this.#since !== null;
  }

  /** Takes part in the election. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#ask();
  }

  stop(): void {
    this.#isOn = false;
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.isLeader) this.#say({ kind: "bye", from: this.#id });
    this.#setLead(null);
  }

  /** Passes an event of the stream, or one that this tab has made, to the other tabs. */
  pass(event: StreamEvent): void {
    this.#say({ kind: "event", from: this.#id, owner: this.#options.readOwner(), event });
  }

  /** Tells the other tabs of the state of the stream, which the leader holds. */
  tellLive(): void {
    if (this.isLeader) this.#sayLead();
  }

  share(shared: Shared): void {
    this.#say({ kind: "shared", from: this.#id, shared });
  }

  /** Asks the other tabs for their session. They answer through `onShared`, if at all. */
  requestShared(): void {
    this.#say({ kind: "wants_shared", from: this.#id });
  }

  #receive(message: TabMessage<Shared>): void {
    switch (message.kind) {
      case "ask":
        if (this.#since !== null) this.#sayLead();
        return;
      case "lead":
        this.#answered = true;
        // Two tabs may have begun to lead at once. The younger one yields.
        if (this.#since !== null && !this.#isBefore(message)) this.#setLead(null);
        else if (this.#since !== null) return this.#sayLead();
        this.#options.onLive(message.isLive);
        return;
      case "bye":
        this.#later(() => this.#ask(), Math.random() * 200);
        return;
      case "event":
        // A tab that opens may be the next person's, whom the events before do not concern.
        if (message.event.name === "gone" || message.owner === this.#options.readOwner())
          this.#options.onEvent(message.event);
        return;
      case "wants_shared": {
        const shared = this.#options.readShared();
        if (shared !== null) this.share(shared);
        return;
      }
      case "shared":
        this.#options.onShared(message.shared);
        return;
    }
  }

  #isBefore({ since, from }: { since: number; from: string }): boolean {
    return (
      this.#since !== null && (this.#since < since || (this.#since === since && this.#id < from))
    );
  }

  #ask(): void {
    if (!this.#isOn) return;
    this.#answered = false;
    this.#say({ kind: "ask", from: this.#id });
    const waitMs = this.#channel === null ? 0 : answerMs;
    this.#later(() => {
      if (!this.#answered && this.#since === null) this.#setLead(Date.now());
      this.#later(() => this.#ask(), askEveryMs);
    }, waitMs);
  }

  #setLead(since: number | null): void {
    const before = this.isLeader;
    this.#since = since;
    if (before === this.isLeader) return;
    if (since !== null) this.#sayLead();
    this.#options.onLead(this.isLeader);
  }

  #sayLead(): void {
    const isLive = this.#options.readLive();
    this.#say({ kind: "lead", from: this.#id, since: this.#since ?? 0, isLive });
  }

  #say(message: TabMessage<Shared>): void {
    this.#channel?.postMessage(message);
  }

  /** One timer at a time: an earlier plan to ask gives way. */
  #later(act: () => void, ms: number): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = this.#isOn ? [setTimeout(act, ms)] : [];
  }
}

function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
