import type { FrameConfig } from "../../core/model/widget-files.ts";
import type { WidgetLocale } from "../../core/model/widget.ts";
import type {
  SessionView,
  VisitConversation,
  VisitMessage,
} from "../../core/model/widget-visit.ts";
import type { ThemeChoice } from "../shared/protocol.ts";
import type { Unsent } from "./net/outbox.ts";

/**
 * Place in the chat. `idle`: nothing was asked of the API yet. `blocked`: the site or the login does
 * not allow a chat.
 */
export type Phase = "idle" | "consent" | "starting" | "form" | "chat" | "failed" | "blocked";

/** A refusal, in words that the locale has. */
export interface Notice {
  code: string;
  seconds: number | null;
}

/** A file on its way to the API. */
export interface Upload {
  clientId: string;
  file: File;
  /** Object URL of a picture; null for other files. */
  preview: string | null;
  /** Sent part, 0 to 1. */
  part: number;
  error: string | null;
}

/** Everything that the panel shows. */
export interface PanelState {
  config: FrameConfig;
  /** The site, or the Dashboard, has said how to draw the panel. */
  isReady: boolean;
  /** The Dashboard shows the settings of its form. */
  isPreview: boolean;
  phase: Phase;
  isOpen: boolean;
  isFull: boolean;
  isRtl: boolean;
  locale: WidgetLocale;
  theme: ThemeChoice;
  session: SessionView | null;
  /** Grows when another person follows, whose fields are empty. */
  visit: number;
  conversation: VisitConversation | null;
  /** In the order of their ids. */
  messages: readonly VisitMessage[];
  /** Null: there are no older ones. */
  nextBeforeId: number | null;
  isLoadingOlder: boolean;
  unsent: readonly Unsent[];
  uploads: readonly Upload[];
  unread: number;
  isTyping: boolean;
  isAgentOn: boolean;
  isLive: boolean;
  isOnline: boolean;
  isSoundOn: boolean;
  notice: Notice | null;
  /** Newest incoming messages, for screen readers: each is said once. */
  announced: readonly VisitMessage[];
}

/** Holds the state and tells the view of changes. */
export class Store {
  #state: PanelState;
  readonly #listeners = new Set<() => void>();

  constructor(state: PanelState) {
    this.#state = state;
  }

  get state(): PanelState {
    return this.#state;
  }

  set(change: Partial<PanelState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** True where the widget asks for name or address before the first message. */
export function hasForm({ pre_chat: form }: FrameConfig["settings"]): boolean {
  return form.is_on && [form.name, form.email, form.phone].some((need) => need !== "off");
}

/** State of a panel that has not asked the API for anything. */
export function firstState(config: FrameConfig): PanelState {
  return {
    config,
    // A page without a site around gets no message to become ready.
    isReady: parent === window,
    isPreview: false,
    phase: "idle",
    isOpen: false,
    isFull: false,
    isRtl: false,
    // The loader asks for the page in the site's language.
    locale: document.documentElement.lang as WidgetLocale,
    theme: config.settings.look.theme,
    session: null,
    visit: 0,
    conversation: null,
    messages: [],
    nextBeforeId: null,
    isLoadingOlder: false,
    unsent: [],
    uploads: [],
    unread: 0,
    isTyping: false,
    isAgentOn: true,
    isLive: false,
    isOnline: navigator.onLine,
    isSoundOn: false,
    notice: null,
    announced: [],
  };
}

/**
 * Joins messages that are known with others. A later one of the same id replaces the earlier one.
 * @returns all of them in the order of their ids
 */
export function joinMessages(
  known: readonly VisitMessage[],
  more: readonly VisitMessage[],
): VisitMessage[] {
  const byId = new Map(known.map((one) => [one.id, one]));
  for (const one of more) byId.set(one.id, one);
  return [...byId.values()].toSorted((one, other) => one.id - other.id);
}
