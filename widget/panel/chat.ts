import type { FrameConfig } from "../../core/model/widget-files.ts";
import type { SessionView, VisitMessage, VisitMessageBody } from "../../core/model/widget-visit.ts";
import type { ContactFacts, HostCall, HostCommands, HostState } from "../shared/protocol.ts";
import { openBridge, type Bridge } from "./bridge.ts";
import { Conversation } from "./conversation.ts";
import { newId } from "./new-id.ts";
import { toCallError } from "./net/call-error.ts";
import { Tabs } from "./net/leader.ts";
import { Outbox } from "./net/outbox.ts";
import { openShelves, type Shelves } from "./net/shelf.ts";
import { LiveStream } from "./net/stream.ts";
import { Session, type SessionFacts } from "./session.ts";
import { firstState, hasForm, Store } from "./state.ts";
import { Uploads } from "./uploads.ts";
import { watchWindow } from "./watch-window.ts";

const typingEveryMs = 3_000;
const refusals = new Set([
  "origin_not_allowed",
  "identity_required",
  "identity_invalid",
  "widget_not_found",
]);

/** The panel's behaviour: everything that is not drawn. */
export class PanelChat {
  readonly store: Store;
  readonly uploads: Uploads;
  readonly #shelves: Shelves;
  readonly #bridge: Bridge;
  readonly #session: Session;
  readonly #conversation: Conversation;
  readonly #outbox: Outbox;
  readonly #stream: LiveStream;
  readonly #tabs: Tabs<SessionView>;
  #host: HostState | null = null;
  /** The last logout. Later commands are of the next visitor, and wait for it. */
  #leaving = Promise.resolve();
  /** True while a logout is under way: no other tab takes this visitor over. */
  #isLeaving = false;
  #lastTyping = 0;
  #unreadTold = 0;

  constructor(config: FrameConfig) {
    this.store = new Store(firstState(config));
    this.#shelves = openShelves(config.key);
    this.#session = new Session({
      key: config.key,
      isPreview: () => this.store.state.isPreview,
      shelf: this.#shelves.resume,
      readFacts: () => this.#readFacts(),
      onSession: (session, isShared) => this.#onSession(session, isShared),
      onLeave: () => this.#dropUnsent(),
      askTabs: () => this.#tabs.requestShared(),
    });
    this.#conversation = new Conversation({
      store: this.store,
      session: this.#session,
      bridge: () => this.#bridge,
      pass: (event) => this.#tabs.pass(event),
      onIncoming: () => this.#onIncoming(),
    });
    this.#outbox = new Outbox({
      shelf: this.#shelves.outbox,
      begin: async () => this.#session.token ?? (await this.#session.begin()),
      send: async (body) => await this.#sendOne(body),
      onChange: () => this.store.set({ unsent: this.#outbox.items }),
    });
    this.uploads = new Uploads(this.store, this.#session, (uploadId) =>
      this.#add({ upload_id: uploadId }),
    );
    this.#stream = this.#makeStream();
    this.#tabs = this.#makeTabs();
    this.store.set({ isSoundOn: this.#shelves.sound.read() === "1" });
    this.#watch();
    this.#bridge = openBridge({
      config,
      onWelcome: (state) => this.#onWelcome(state),
      onCall: async ({ command, value }) => await this.#onCall(command, value),
      onPreview: (shown) => void this.#showPreview({ ...config, ...shown }),
    });
  }

  close(): void {
    this.#bridge.tell({ kind: "close" });
  }

  /** Begins the chat, where consent allows it. */
  async start(): Promise<void> {
    const { config, phase, visit } = this.store.state;
    if (phase === "chat" || phase === "form" || phase === "starting") return;
    if (config.settings.consent === "required" && this.#shelves.consent.read() === null)
      return this.store.set({ phase: "consent" });
    this.store.set({ phase: "starting" });
    try {
      await this.#session.begin();
    } catch (thrown) {
      if (visit === this.store.state.visit) this.#onStartFailed(thrown);
    }
  }

  async agree(): Promise<void> {
    if (this.store.state.isPreview) return this.store.set({ phase: "chat" });
    this.#shelves.consent.write("1");
    await this.start();
  }

  /** Takes the form before the chat, or its omission. */
  async fillForm(contact: ContactFacts & { website?: string }): Promise<void> {
    if (!this.store.state.isPreview) {
      await this.#session.call("POST", "/contact", contact);
      this.#shelves.asked.write("1");
    }
    this.store.set({ phase: "chat" });
  }

  /** @returns false where the text must wait: too many do, or consent or a form may come first */
  sendText(content: string): boolean {
    // A logout that failed leaves an open chat that has not begun.
    if (this.store.state.phase === "idle") void this.start();
    const { phase, config } = this.store.state;
    const mayAsk = this.#shelves.asked.read() === null && hasForm(config.settings);
    if (phase === "consent" || (phase === "starting" && mayAsk)) return false;
    return this.#add({ content });
  }

  choose(optionId: string, message: VisitMessage): void {
    this.#add({ option_id: optionId, reply_to_message_id: message.id });
  }

  retry(clientId: string): void {
    this.#outbox.retry(clientId);
  }

  remove(clientId: string): void {
    this.#outbox.remove(clientId);
  }

  type(isTyping: boolean): void {
    const now = Date.now();
    if (this.store.state.conversation === null && this.store.state.messages.length === 0) return;
    if (isTyping ? now - this.#lastTyping < typingEveryMs : this.#lastTyping === 0) return;
    this.#lastTyping = isTyping ? now : 0;
    this.#session.call("POST", "/typing", { typing: isTyping }).catch(() => undefined);
  }

  async loadOlder(): Promise<void> {
    await this.#conversation.loadOlder().catch((thrown: unknown) => this.#show(thrown));
  }

  setSound(isOn: boolean): void {
    this.#shelves.sound.write(isOn ? "1" : null);
    this.store.set({ isSoundOn: isOn });
    if (isOn) this.#playSound();
  }

  dismissNotice(): void {
    this.store.set({ notice: null });
  }

  /** Calls the API as the visitor. For the parts that are loaded later. @throws CallError */
  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return await this.#session.call<Answer>(method, path, body);
  }

  /** The conversation as a file. Null, and a notice, where the API does not give it. */
  async readTranscript(): Promise<Blob | null> {
    try {
      return await this.#session.readFile("/transcript");
    } catch (thrown) {
      this.#show(thrown);
      return null;
    }
  }

  async erase(): Promise<void> {
    try {
      const { outcome } = await this.#session.call<{ outcome: string }>("POST", "/erase");
      // An admin decides, and the chat stays until then.
      if (outcome !== "erased") return this.#tell("erase_requested");
      this.#forgetEverywhere();
      this.close();
    } catch (thrown) {
      this.#show(thrown);
    }
  }

  /** Reads the conversation again, as a booking has added to it. */
  async refresh(): Promise<void> {
    await this.#conversation.reload().catch(() => undefined);
    this.#tabs.start();
  }

  #makeStream(): LiveStream {
    return new LiveStream({
      readToken: () => this.#session.token,
      onEvent: (event) => {
        this.#conversation.apply(event);
        if (event.name !== "beat") this.#tabs.pass(event);
      },
      onState: (isLive) => {
        if (this.store.state.isLive === isLive) return;
        this.store.set({ isLive });
        this.#tabs.tellLive();
      },
      onExpired: async (token) => void (await this.#session.renew(token)),
      poll: async () => await this.#conversation.reload(),
    });
  }

  #makeTabs(): Tabs<SessionView> {
    return new Tabs({
      name: `parley:${this.store.state.config.key}`,
      readOwner: () => this.store.state.session?.visitor.id,
      onLead: (isLeader) => (isLeader ? this.#stream.start() : this.#stream.stop()),
      onEvent: (event) => {
        if (event.name === "gone") this.#forget();
        else {
          this.#conversation.apply(event);
          // The tab that had the stream may close, or another tab has reached the server.
          if (this.#session.token !== null) this.#follow();
        }
      },
      readLive: () => this.store.state.isLive,
      onLive: (isLive) => this.store.set({ isLive }),
      readShared: () => this.#readShared(),
      onShared: (session) => this.#takeShared(session),
    });
  }

  /** The session of another tab does not know the page of this one, and this tab no messages yet. */
  #takeShared(session: SessionView): void {
    // The API compares a visitor whom the site knows, or may know.
    if (this.#session.token === null && this.#host?.identity !== null) return;
    if (!this.#session.take(session, true)) return;
    void this.refresh();
    const page = this.#host?.page;
    if (page !== undefined) this.#session.call("POST", "/page", { page }).catch(() => undefined);
  }

  #add(body: Omit<VisitMessageBody, "client_id">): boolean {
    if (this.store.state.isPreview) return false;
    const isTaken = this.#outbox.add({ ...body, client_id: newId() });
    if (!isTaken) this.#tell("too_many_unsent");
    this.#lastTyping = 0;
    return isTaken;
  }

  async #sendOne(body: VisitMessageBody): Promise<void> {
    const message = await this.#session.call<VisitMessage>("POST", "/messages", body);
    this.#conversation.takeSent(message);
    this.#follow();
  }

  /** A message was sent: a conversation is there to follow, and the server can be reached. */
  #follow(): void {
    this.#tabs.start();
    this.#stream.retryNow();
  }

  /** The session as it is by now: the first message has made a conversation. */
  #readShared(): SessionView | null {
    const { conversation, unread } = this.store.state;
    const { current } = this.#session;
    return current === null || this.#isLeaving ? null : { ...current, conversation, unread };
  }

  #readFacts(): SessionFacts {
    const { locale } = this.store.state;
    const hasAgreed = this.#shelves.consent.read() !== null;
    return {
      locale,
      ...(this.#host === null ? {} : { page: this.#host.page }),
      ...(typeof this.#host?.identity === "string" ? { identity: this.#host.identity } : {}),
      ...(hasAgreed ? { consent: true } : {}),
    };
  }

  #onSession(session: SessionView, isShared: boolean): void {
    const isOther = this.store.state.session?.visitor.id !== session.visitor.id;
    if (isOther && this.store.state.session !== null) this.#conversation.forget();
    const { conversation, visitor } = session;
    // The messages that a known visitor has missed count as they are read below.
    const { messages } = this.store.state;
    const isCounted = isOther || messages.length === 0 || session.unread === 0;
    const { unread } = isCounted ? session : this.store.state;
    this.store.set({ session, conversation, unread, notice: null, phase: this.#phaseOf(session) });
    this.#outbox.setOwner(visitor.id);
    // Tabs that told each other what they were told would never end.
    if (!isShared && !this.#isLeaving) this.#tabs.share(session);
    this.#bridge.tell({ kind: "ready" });
    if (visitor.verified) this.#bridge.tell({ kind: "identified", verified: true });
    const { contact = null, context = null } = this.#host ?? {};
    if (contact !== null && !visitor.verified)
      this.#session.call("POST", "/contact", contact).catch(() => undefined);
    if (context !== null)
      this.#session.call("POST", "/context", { context }).catch(() => undefined);
    if (conversation !== null) {
      this.#conversation.reload().then(
        () => this.#conversation.markRead(),
        () => undefined,
      );
      this.#tabs.start();
    }
    if (isOther) this.#stream.restart();
    this.#outbox.flush();
  }

  #phaseOf({ visitor, conversation }: SessionView): "form" | "chat" {
    const isAsked = this.#shelves.asked.read() !== null;
    const isKnown = visitor.verified || visitor.name !== null || this.#host?.contact !== null;
    const isNew = !isAsked && !isKnown && conversation === null;
    return isNew && hasForm(this.store.state.config.settings) ? "form" : "chat";
  }

  #onStartFailed(thrown: unknown): void {
    const { code } = toCallError(thrown);
    this.store.set({ phase: refusals.has(code) ? "blocked" : "failed" });
    this.#show(thrown);
    this.#bridge.tell({ kind: "error", code });
  }

  #onWelcome(state: HostState): void {
    this.#host = state;
    const { isOpen, isFull, isRtl, locale } = state;
    const theme = state.theme ?? this.store.state.theme;
    this.store.set({ isReady: true, isOpen, isFull, isRtl, locale, theme });
    const needsConsent = this.store.state.config.settings.consent === "required";
    if (isOpen || (state.wasHere && !(needsConsent && this.#shelves.consent.read() === null)))
      void this.start();
  }

  async #onCall(command: HostCall["command"], value: unknown): Promise<void> {
    const handlers: { [Name in keyof HostCommands]: (value: HostCommands[Name]) => unknown } = {
      open: async ({ isFull }) => {
        this.store.set({ isOpen: true, isFull });
        await this.start();
        this.#conversation.markRead();
      },
      close: () => this.store.set({ isOpen: false }),
      isFull: (isFull) => this.store.set({ isFull }),
      page: (page) => this.#change({ page }, "/page", { page }),
      identify: (identity) => this.#identify(identity),
      setContact: (contact) => this.#change({ contact }, "/contact", contact),
      setContext: (context) => this.#change({ context }, "/context", { context }),
      setLocale: (locale) => this.store.set({ locale }),
      setTheme: (theme) => this.store.set({ theme }),
      send: async (text) => {
        await this.start();
        this.#add({ content: text });
      },
      reset: async () => await (this.#leaving = this.#reset()),
      consent: () => this.agree(),
    };
    const handler = handlers[command] as ((value: unknown) => unknown) | undefined;
    await this.#leaving.catch(() => undefined);
    if (handler !== undefined) await handler(value);
  }

  /** Keeps what the site tells of itself and its visitor. A session that is there learns it. */
  async #change(fact: Partial<HostState>, path: string, body: unknown): Promise<void> {
    this.#keep(fact);
    if (this.#session.token !== null) await this.#session.call("POST", path, body);
  }

  #keep(fact: Partial<HostState>): void {
    if (this.#host !== null) this.#host = { ...this.#host, ...fact };
  }

  async #identify(identity: string): Promise<void> {
    this.#keep({ identity });
    const { phase } = this.store.state;
    if (phase === "idle" || phase === "consent") return;
    const begin = async () => await this.#session.begin();
    // A session that begins, or that was refused, may have asked without it.
    await begin().catch(begin);
    this.#session.take(await this.#session.call<SessionView>("POST", "/identify", { identity }));
  }

  /**
   * The call ends the streams of this visitor. No tab that hears of it may begin another session of
   * the person who leaves, so each forgets who it was before.
   */
  async #reset(): Promise<void> {
    this.#tellGone();
    this.#tabs.stop();
    this.#keep({ identity: null, contact: null, context: null });
    const { visit } = this.store.state;
    this.#isLeaving = true;
    try {
      await this.#session.call("POST", "/reset");
    } catch (thrown) {
      // Another tab has logged out meanwhile, so this visitor has left all the same.
      if (visit === this.store.state.visit) throw thrown;
    } finally {
      this.#isLeaving = false;
      this.#forget();
    }
    if (this.store.state.isOpen) await this.start();
  }

  /** Forgets the visitor in every tab, so that the next one finds nothing. */
  #forgetEverywhere(): void {
    this.#tellGone();
    this.#forget();
  }

  #tellGone(): void {
    this.#tabs.pass({ id: null, name: "gone", data: "" });
  }

  #forget(): void {
    this.#tabs.stop();
    this.#keep({ identity: null, contact: null, context: null });
    this.#session.forget();
    for (const shelf of Object.values(this.#shelves)) shelf.write(null);
    this.#conversation.forget();
    this.store.set({ session: null, phase: "idle", isSoundOn: false });
    this.#bridge.tell({ kind: "gone" });
  }

  /** Drops messages, files and draft, which are never those of the next person. */
  #dropUnsent(): void {
    this.#outbox.clear();
    this.uploads.clear();
    this.store.set({ visit: this.store.state.visit + 1 });
  }

  async #showPreview(config: FrameConfig): Promise<void> {
    const { look, default_locale: locale } = config.settings;
    this.store.set({ isPreview: true, isReady: true, config, locale, theme: look.theme });
    const { sampleState } = await import("./sample.ts");
    this.store.set(sampleState(this.store.state));
  }

  #tell(code: string): void {
    this.store.set({ notice: { code, seconds: null } });
  }

  #show(thrown: unknown): void {
    const { code, retryAfterSeconds: seconds } = toCallError(thrown);
    this.store.set({ notice: { code, seconds } });
  }

  #onIncoming(): void {
    if (this.store.state.isSoundOn && this.#tabs.isLeader) this.#playSound();
  }

  /** A sound that cannot be loaded is left out. */
  #playSound(): void {
    import("./sound.ts").then(
      ({ playSound }) => playSound(),
      () => undefined,
    );
  }

  #watch(): void {
    watchWindow({
      onLook: () => this.#conversation.markRead(),
      onNetwork: (isOnline) => {
        this.store.set({ isOnline });
        if (!isOnline) return;
        this.#outbox.flush();
        if (this.store.state.phase === "failed") void this.start();
      },
    });
    this.store.subscribe(() => {
      const { unread } = this.store.state;
      if (unread === this.#unreadTold) return;
      this.#unreadTold = unread;
      this.#bridge.tell({ kind: "unread", count: unread });
    });
  }
}
