import type { VisitMessageBody } from "../../../core/model/widget-visit.ts";
import { backOffMs } from "./back-off.ts";
import { toCallError } from "./call-error.ts";

/** Unsent messages that are kept at most. */
export const maxUnsent = 20;

/** State of an unsent message. `waiting`: it is sent once it is its turn, or the network is back. */
export type UnsentState = "waiting" | "sending" | "failed";

/** A message that the API has not taken yet. */
export interface Unsent {
  body: VisitMessageBody;
  /** Id of the visitor who wrote it; undefined before the session is known. */
  owner: string | undefined;
  /** ISO time of writing. */
  createdAt: string;
  state: UnsentState;
  /** Code of the last refusal. */
  error: string | null;
}

/** A place that survives a reload, where the browser allows one. */
export interface Shelf {
  read(): string | null;
  write(text: string | null): void;
}

/**
 * An identified visitor (`u_`) is another person than any other visitor. An anonymous one (`v_`) who
 * becomes known stays the same person.
 * @param before the earlier visitor; empty where nobody stored who it was, which an anonymous one may
 * have been
 */
export function isSamePerson(before: string, id: string): boolean {
  return before === id || (before || id).startsWith("v_");
}

interface OutboxOptions {
  shelf: Shelf;
  /** Waits for a session, which says whose messages these are. */
  begin: () => Promise<unknown>;
  send: (body: VisitMessageBody) => Promise<void>;
  onChange: () => void;
}

/**
 * Sends messages one after the other, in the order of writing. A message keeps its client_id over all
 * tries, so that a lost answer stores it once.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #items: Unsent[] = [];
  #owner: string | undefined;
  #isBusy = false;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#items = readItems(options.shelf.read());
  }

  /** Messages of the present visitor. Those of a reload show once the session is known. */
  get items(): readonly Unsent[] {
    return this.#items.filter(({ owner }) => owner === this.#owner);
  }

  /** Takes the visitor of a session. Messages of another person are dropped. */
  setOwner(owner: string): void {
    this.#owner = owner;
    // The place is that of all tabs, so a tab without messages leaves it alone.
    if (this.#items.length === 0) return;
    this.#items = this.#items
      .filter((one) => one.owner === undefined || isSamePerson(one.owner, owner))
      .map((one) => ({ ...one, owner }));
    this.#changed();
  }

  /** @returns false where too many messages wait already */
  add(body: VisitMessageBody): boolean {
    if (this.#items.length >= maxUnsent) return false;
    const createdAt = new Date().toISOString();
    const owner = this.#owner;
    this.#items = [...this.#items, { body, owner, createdAt, state: "waiting", error: null }];
    this.#changed();
    this.flush();
    return true;
  }

  /** Tries a failed message again. */
  retry(clientId: string): void {
    this.#update(clientId, { state: "waiting", error: null });
    this.flush();
  }

  remove(clientId: string): void {
    this.#items = this.#items.filter(({ body }) => body.client_id !== clientId);
    this.#changed();
  }

  clear(): void {
    this.#items = [];
    this.#owner = undefined;
    this.#changed();
  }

  /** Sends what waits. Call it when the network is back. */
  flush(): void {
    clearTimeout(this.#timer);
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    for (;;) {
      const next = this.items.find(({ state }) => state === "waiting");
      if (next === undefined) break;
      if (!(await this.#sendOne(next))) break;
    }
    this.#isBusy = false;
  }

  /** @returns false where the next message must wait as well */
  async #sendOne({ body }: Unsent): Promise<boolean> {
    const id = body.client_id;
    this.#update(id, { state: "sending", error: null });
    try {
      await this.#options.begin();
      // The session may have brought older messages.
      if (this.items.find(({ state }) => state !== "failed")?.body !== body) {
        this.#update(id, { state: "waiting" });
        return true;
      }
      await this.#options.send(body);
      this.#tries = 0;
      this.remove(id);
      return true;
    } catch (thrown) {
      const error = toCallError(thrown);
      if (!error.isPassing) {
        this.#update(id, { state: "failed", error: error.code });
        return true;
      }
      this.#tries += 1;
      this.#update(id, { state: "waiting", error: error.code });
      const waitMs =
        error.retryAfterSeconds === null
          ? backOffMs(this.#tries)
          : error.retryAfterSeconds * 1_000 + Math.random() * 500;
      this.#timer = setTimeout(() => this.flush(), waitMs);
      return false;
    }
  }

  #update(clientId: string, change: Partial<Unsent>): void {
    this.#items = this.#items.map((one) =>
      one.body.client_id === clientId ? { ...one, ...change } : one,
    );
    this.#changed();
  }

  #changed(): void {
    const { shelf, onChange } = this.#options;
    shelf.write(this.#items.length === 0 ? null : JSON.stringify(this.#items));
    onChange();
  }
}

/**
 * Reads what an earlier page, or an earlier version without owners, has left. A file's upload is gone
 * after an hour, but the API says so itself.
 */
function readItems(text: string | null): Unsent[] {
  if (text === null) return [];
  try {
    const items = JSON.parse(text) as Unsent[];
    return items
      .filter(({ body }) => typeof body.client_id === "string")
      .slice(0, maxUnsent)
      .map((one) => ({
        ...one,
        owner: one.owner ?? "",
        state: one.state === "sending" ? "waiting" : one.state,
      }));
  } catch {
    return [];
  }
}
