import type { LoaderConfig } from "../../core/model/widget-files.ts";
import { readContact, readContext, readLocale, readText, readTheme, readUrl } from "./arguments.ts";
import { Chat, type ChatEvent } from "./chat.ts";
import { readPage } from "./host-page.ts";

/** The API wraps this script in a function with this parameter. */
declare const parleyConfig: LoaderConfig;

type Listener = (detail: unknown) => void;
/** A call of the stub, which waits for the script: its arguments, then resolve and reject. */
type QueuedCall = [ArrayLike<unknown>, ((value: unknown) => void)?, ((error: unknown) => void)?];

interface Parley {
  (...given: unknown[]): Promise<unknown>;
  q?: QueuedCall[];
  isLoaded?: boolean;
}

const events: readonly ChatEvent[] = [
  "ready",
  "open",
  "close",
  "message",
  "unread",
  "identified",
  "error",
];

function start(scope: { Parley?: Parley }): void {
  const stub = scope.Parley;
  if (stub?.isLoaded) return;
  const listeners = new Map<ChatEvent, Set<Listener>>();
  const emit = (event: ChatEvent, detail: unknown): void => {
    for (const listener of listeners.get(event) ?? []) {
      // A listener that throws must not stop the widget.
      queueMicrotask(() => listener(detail));
    }
  };
  const chat = new Chat(parleyConfig, emit);
  const listen = (name: unknown, listener: unknown): (() => void) => {
    const event = events.find((one) => one === name);
    if (event === undefined || typeof listener !== "function")
      throw new TypeError(`Parley: on takes one of ${events.join(", ")} and a function.`);
    const known = listeners.get(event) ?? new Set();
    listeners.set(event, known.add(listener as Listener));
    return () => void known.delete(listener as Listener);
  };
  const commands: Record<string, (one: unknown, other: unknown) => unknown> = {
    open: () => chat.open(),
    close: () => chat.close(),
    toggle: () => chat.toggle(),
    show: () => chat.setVisible(true),
    hide: () => chat.setVisible(false),
    identify: (token) => chat.identify(readText(token, "identity")),
    setContact: (contact) => chat.setContact(readContact(contact)),
    setContext: (context) => chat.setContext(readContext(context)),
    setLocale: (locale) => chat.setLocale(readLocale(locale)),
    setTheme: (theme) => chat.setTheme(readTheme(theme)),
    page: (url, title) =>
      chat.setPage({
        ...readPage(),
        ...(url === undefined ? {} : { url: readUrl(url) }),
        ...(title === undefined ? {} : { title: readText(title, "page.title").slice(0, 300) }),
      }),
    send: (text) => chat.send("send", readText(text, "message")),
    reset: () => chat.reset(),
    consent: () => chat.send("consent", null),
    destroy: () => {
      chat.destroy();
      delete scope.Parley;
    },
    on: listen,
  };
  const parley: Parley = async (name, one, other) => {
    const command = Object.hasOwn(commands, String(name)) ? commands[String(name)] : undefined;
    if (command === undefined)
      throw new TypeError(`Parley: there is no command "${String(name)}".`);
    return await command(one, other);
  };
  parley.isLoaded = true;
  scope.Parley = parley;
  for (const [given, resolve, reject] of stub?.q ?? []) {
    parley(given[0], given[1], given[2]).then(resolve, reject ?? (() => undefined));
  }
}

start(globalThis as { Parley?: Parley });
