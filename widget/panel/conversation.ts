import type {
  VisitConversation,
  VisitEvents,
  VisitMessage,
  visitMessagesView,
} from "../../core/model/widget-visit.ts";
import type { z } from "zod";
import type { Bridge } from "./bridge.ts";
import type { StreamEvent } from "./net/sse-parser.ts";
import type { Session } from "./session.ts";
import { joinMessages, type Store } from "./state.ts";

type MessagesView = z.output<typeof visitMessagesView>;

/** Typing ends by itself after this time in ms, where its end got lost. It is told once, at its start. */
const typingMs = 90_000;
const pageSize = 30;
const maxAnnounced = 5;

interface ConversationOptions {
  store: Store;
  session: Session;
  bridge: () => Bridge;
  /** Tells the other tabs. */
  pass: (event: StreamEvent) => void;
  onIncoming: () => void;
}

/** Reads the conversation, and keeps it up to date by the events of the stream. */
export class Conversation {
  readonly #options: ConversationOptions;
  #typingTimer: ReturnType<typeof setTimeout> | undefined;
  #readTo = 0;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Reads the newest messages. Those that came meanwhile count as incoming. */
  async reload(): Promise<void> {
    const { store, session } = this.#options;
    const wasEmpty = store.state.messages.length === 0;
    const { messages, next_before_id } = await this.#readPage(session, null);
    const oldest = store.state.messages[0]?.id;
    const isGap = oldest !== undefined && messages.length > 0 && !this.#touches(messages);
    if (isGap) store.set({ messages: [] });
    if (wasEmpty || isGap || oldest === undefined || oldest >= (messages[0]?.id ?? 0))
      store.set({ nextBeforeId: next_before_id });
    if (wasEmpty) store.set({ messages: joinMessages(store.state.messages, messages) });
    else for (const message of messages) this.#take(message);
  }

  async loadOlder(): Promise<void> {
    const { store, session } = this.#options;
    const { nextBeforeId, isLoadingOlder } = store.state;
    if (nextBeforeId === null || isLoadingOlder) return;
    store.set({ isLoadingOlder: true });
    try {
      const { messages, next_before_id } = await this.#readPage(session, nextBeforeId);
      store.set({
        messages: joinMessages(store.state.messages, messages),
        nextBeforeId: next_before_id,
      });
    } finally {
      store.set({ isLoadingOlder: false });
    }
  }

  /** Takes an event of the stream, or of another tab. */
  apply({ name, data }: StreamEvent): void {
    const { store } = this.#options;
    switch (name) {
      case "ready":
        store.set({ conversation: (JSON.parse(data) as VisitEvents["ready"]).conversation });
        return this.#catchUp();
      case "reset":
        return this.#catchUp();
      case "message":
      case "message_updated":
        return this.#take(JSON.parse(data) as VisitMessage);
      case "typing":
        return this.#showTyping((JSON.parse(data) as VisitEvents["typing"]).is_typing);
      case "agent":
        return store.set({ isAgentOn: (JSON.parse(data) as VisitEvents["agent"]).is_on });
      case "conversation":
        return store.set({ conversation: JSON.parse(data) as VisitConversation });
      case "seen_here":
        return store.set({ unread: 0 });
      default:
    }
  }

  /** Takes the answer to a message that this tab has sent. */
  takeSent(message: VisitMessage): void {
    this.#take(message);
    this.#options.pass({ id: null, name: "message", data: JSON.stringify(message) });
    this.#options.bridge().tell({ kind: "message", from: "visitor", text: message.content ?? "" });
  }

  /** Tells the API of the messages that the visitor looks at now. */
  markRead(): void {
    const { store, session } = this.#options;
    const { isOpen, messages, phase } = store.state;
    if (!isOpen || phase !== "chat" || document.hidden || !document.hasFocus()) return;
    const last = messages.findLast(({ direction }) => direction === "outbound");
    if (last === undefined || last.id <= this.#readTo) return;
    this.#readTo = last.id;
    store.set({ unread: 0 });
    this.#options.pass({ id: null, name: "seen_here", data: "" });
    session.call("POST", "/read", { up_to_message_id: last.id }).catch(() => {
      // The next look tries again.
      this.#readTo = 0;
    });
  }

  forget(): void {
    this.#readTo = 0;
    this.#options.store.set({
      conversation: null as VisitConversation | null,
      messages: [],
      nextBeforeId: null,
      unread: 0,
      isTyping: false,
      announced: [],
    });
  }

  async #readPage(session: Session, beforeId: number | null): Promise<MessagesView> {
    const before = beforeId === null ? "" : `&before_id=${beforeId}`;
    return await session.call<MessagesView>("GET", `/messages?limit=${pageSize}${before}`);
  }

  #touches(messages: readonly VisitMessage[]): boolean {
    const known = new Set(this.#options.store.state.messages.map(({ id }) => id));
    return messages.some(({ id }) => known.has(id));
  }

  #take(message: VisitMessage): void {
    const { store, bridge, onIncoming } = this.#options;
    const { messages, announced, unread } = store.state;
    const isNew = messages.every(({ id }) => id !== message.id);
    const isIncoming = isNew && message.direction === "outbound" && message.deleted_at === null;
    store.set({ messages: joinMessages(messages, [message]) });
    if (!isIncoming) return;
    store.set({
      unread: unread + 1,
      isTyping: false,
      announced: [...announced, message].slice(-maxAnnounced),
    });
    bridge().tell({ kind: "message", from: "company", text: message.content ?? "" });
    onIncoming();
    this.markRead();
  }

  /** The stream has begun anew. Typing that goes on is told right after. */
  #catchUp(): void {
    this.#options.store.set({ isTyping: false });
    void this.reload().catch(() => undefined);
  }

  #showTyping(isTyping: boolean): void {
    clearTimeout(this.#typingTimer);
    this.#options.store.set({ isTyping });
    if (isTyping) this.#typingTimer = setTimeout(() => this.#showTyping(false), typingMs);
  }
}
