import type { LoaderConfig } from "../../core/model/widget-files.ts";
import type { VisitedPage } from "../../core/model/widget-visit.ts";
import type {
  ContactFacts,
  ContextFacts,
  HostCommands,
  PanelMessage,
  ThemeChoice,
} from "../shared/protocol.ts";
import { makeFrame, type PanelFrame } from "./frame.ts";
import {
  chooseLocale,
  countInTitle,
  followViewport,
  lockScroll,
  readPage,
  watchRoutes,
} from "./host-page.ts";
import { makeLauncher, type Launcher } from "./launcher.ts";
import type { WidgetLocale } from "./locales.ts";
import { isOnPage } from "./page-pattern.ts";
import { openMemory, type HostMemory } from "./memory.ts";
import { words } from "./words.ts";

/** Events of the JS API. */
export type ChatEvent = "ready" | "open" | "close" | "message" | "unread" | "identified" | "error";

const narrow = "(max-width:639px)";

/** The widget on one page: its launcher, its frame, and the state that both need. */
export class Chat {
  readonly #config: LoaderConfig;
  readonly #memory: HostMemory;
  readonly #launcher: Launcher;
  readonly #emit: (event: ChatEvent, detail: unknown) => void;
  readonly #ends: (() => void)[] = [];
  #frame: PanelFrame | null = null;
  #isOpen = false;
  #unread = 0;
  #locale: WidgetLocale;
  #theme: ThemeChoice | null = null;
  #page: VisitedPage | null = null;
  #identity: string | null = null;
  #contact: ContactFacts | null = null;
  #context: ContextFacts | null = null;
  #greetingTimer: ReturnType<typeof setTimeout> | undefined;
  #unlock: (() => void)[] = [];

  constructor(config: LoaderConfig, emit: (event: ChatEvent, detail: unknown) => void) {
    this.#config = config;
    this.#emit = emit;
    this.#memory = openMemory(config.key);
    this.#launcher = makeLauncher(config, {
      onToggle: () => void this.toggle().catch(() => undefined),
      onDismiss: () => this.#dismissGreeting(),
    });
    this.#locale = chooseLocale(config.defaultLocale);
    this.#launcher.setLocale(this.#locale);
    this.#launcher.setTheme(config.look.theme);
    this.#attach();
    this.#ends.push(watchRoutes(() => this.#onMove()));
    this.#planGreeting();
    if (this.#memory.has("here")) this.#whenIdle(() => this.#getFrame());
  }

  async open(): Promise<void> {
    const frame = this.#getFrame();
    if (this.#isOpen) return;
    const isFull = matchMedia(narrow).matches;
    this.#isOpen = true;
    this.#memory.set("greeted", true);
    this.#launcher.hideGreeting();
    this.#launcher.setOpen(true, isFull);
    frame.element.hidden = false;
    this.#followSize(frame.element);
    this.#emit("open", null);
    await frame.call("open", { isFull });
  }

  async close(): Promise<void> {
    if (!this.#isOpen || this.#frame === null) return;
    this.#isOpen = false;
    this.#release();
    this.#launcher.setOpen(false, false);
    this.#frame.element.hidden = true;
    this.#launcher.button.focus({ preventScroll: true });
    this.#emit("close", null);
    await this.#frame.call("close", null);
  }

  async toggle(): Promise<void> {
    await (this.#isOpen ? this.close() : this.open());
  }

  setVisible(isVisible: boolean): void {
    this.#launcher.host.hidden = !isVisible;
  }

  /** Sends a command to the panel, which is loaded for it. */
  async send<Name extends keyof HostCommands>(
    command: Name,
    value: HostCommands[Name],
  ): Promise<void> {
    await this.#getFrame().call(command, value);
  }

  async identify(token: string): Promise<void> {
    this.#identity = token;
    // Without a panel the first session begins with the identity.
    await this.#frame?.call("identify", token);
  }

  async setContact(contact: ContactFacts): Promise<void> {
    this.#contact = contact;
    await this.#frame?.call("setContact", contact);
  }

  async setContext(context: ContextFacts): Promise<void> {
    this.#context = context;
    await this.#frame?.call("setContext", context);
  }

  async setLocale(locale: WidgetLocale): Promise<void> {
    this.#locale = locale;
    this.#launcher.setLocale(locale);
    if (this.#frame !== null) this.#frame.element.title = this.#frameTitle();
    await this.#frame?.call("setLocale", locale);
  }

  async setTheme(theme: ThemeChoice): Promise<void> {
    this.#theme = theme;
    this.#launcher.setTheme(theme);
    await this.#frame?.call("setTheme", theme);
  }

  async setPage(page: VisitedPage): Promise<void> {
    this.#page = page;
    await this.#frame?.call("page", page);
  }

  /** Ends the visitor's session, as a logout must. Nobody who comes next finds the chat. */
  async reset(): Promise<void> {
    this.#identity = null;
    this.#contact = null;
    this.#context = null;
    if (this.#frame === null && !this.#memory.has("here")) return;
    await this.send("reset", null);
    this.#memory.set("here", false);
  }

  destroy(): void {
    for (const end of this.#ends) end();
    clearTimeout(this.#greetingTimer);
    this.#release();
    this.#unread = 0;
    countInTitle(0);
    this.#frame?.remove();
    this.#launcher.host.remove();
  }

  /** Below `<html>`, so that it works before the body exists and stays when the body is replaced. */
  #attach(): void {
    const { host } = this.#launcher;
    document.documentElement.append(host);
    const observer = new MutationObserver(() => {
      if (!host.isConnected) document.documentElement.append(host);
    });
    observer.observe(document, { childList: true });
    observer.observe(document.documentElement, { childList: true });
    this.#ends.push(() => observer.disconnect());
  }

  #getFrame(): PanelFrame {
    this.#frame ??= this.#makeFrame();
    return this.#frame;
  }

  #makeFrame(): PanelFrame {
    const { key, origin } = this.#config;
    const frame = makeFrame({
      // The page brings the words of this language along.
      url: `${origin}/widget/frame/${key}?locale=${this.#locale}`,
      origin,
      title: this.#frameTitle(),
      readState: () => ({
        page: this.#page ?? readPage(),
        locale: this.#locale,
        theme: this.#theme,
        isRtl: getComputedStyle(document.documentElement).direction === "rtl",
        isOpen: this.#isOpen,
        isFull: matchMedia(narrow).matches,
        identity: this.#identity,
        contact: this.#contact,
        context: this.#context,
        wasHere: this.#memory.has("here"),
      }),
      onMessage: (message) => this.#receive(message),
    });
    frame.element.hidden = !this.#isOpen;
    this.#launcher.room.append(frame.element);
    return frame;
  }

  #frameTitle(): string {
    return `${words[this.#locale].frame} ${this.#config.company}`;
  }

  #receive(message: Exclude<PanelMessage, { kind: "answer" }>): void {
    switch (message.kind) {
      case "ready":
        this.#memory.set("here", true);
        return this.#emit("ready", null);
      case "close":
        return void this.close().catch(() => undefined);
      case "unread":
        this.#unread = message.count;
        this.#launcher.setUnread(message.count);
        countInTitle(message.count);
        return this.#emit("unread", { count: message.count });
      case "message":
        return this.#emit("message", { from: message.from, text: message.text });
      case "identified":
        return this.#emit("identified", { verified: message.verified });
      case "error":
        return this.#emit("error", { code: message.code });
      case "gone":
        return this.#memory.set("here", false);
    }
  }

  /** A narrow window shows the panel alone, and follows the screen keyboard. */
  #followSize(element: HTMLElement): void {
    const query = matchMedia(narrow);
    const fit = (): void => {
      this.#release();
      if (!this.#isOpen) return;
      element.classList.toggle("full", query.matches);
      this.#launcher.setOpen(true, query.matches);
      if (query.matches) this.#unlock = [lockScroll(), followViewport(element)];
      query.addEventListener("change", changed);
      this.#unlock.push(() => query.removeEventListener("change", changed));
    };
    const changed = (): void => {
      fit();
      void this.#frame?.call("isFull", query.matches).catch(() => undefined);
    };
    fit();
  }

  #release(): void {
    for (const undo of this.#unlock) undo();
    this.#unlock = [];
  }

  #onMove(): void {
    this.#page = null;
    this.#planGreeting();
    // The title follows the address on most sites.
    setTimeout(() => {
      countInTitle(this.#unread);
      void this.#frame?.call("page", readPage()).catch(() => undefined);
    }, 300);
  }

  #planGreeting(): void {
    const { is_on, delay_seconds, pages } = this.#config.greeting;
    clearTimeout(this.#greetingTimer);
    const isWanted = (): boolean =>
      !this.#isOpen && !this.#memory.has("greeted") && isOnPage(location.pathname, pages);
    if (!is_on || !isWanted()) return this.#launcher.hideGreeting();
    this.#greetingTimer = setTimeout(() => {
      if (isWanted()) this.#launcher.showGreeting();
    }, delay_seconds * 1_000);
  }

  #dismissGreeting(): void {
    this.#memory.set("greeted", true);
    this.#launcher.hideGreeting();
    this.#launcher.button.focus({ preventScroll: true });
  }

  #whenIdle(act: () => void): void {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 4_000 });
    else setTimeout(act, 2_000);
  }
}
