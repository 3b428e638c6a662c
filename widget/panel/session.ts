import type { SessionBody, SessionView } from "../../core/model/widget-visit.ts";
import { CallError } from "./net/call-error.ts";
import { callApi, fetchFile, uploadFile } from "./net/calls.ts";
import { isSamePerson, type Shelf } from "./net/outbox.ts";
import type { Own } from "./net/proof.ts";

/** Facts for the begin of a session, as they are at that moment. */
export type SessionFacts = Omit<SessionBody, "key" | "resume" | "proof">;

interface SessionOptions {
  key: string;
  /** A preview in the Dashboard begins no session. */
  isPreview: () => boolean;
  /** Keeps the resume secret where the browser refuses our cookie. */
  shelf: Shelf;
  readFacts: () => SessionFacts;
  /** There is another session. The other tabs know it where one of them has told it. */
  onSession: (session: SessionView, isShared: boolean) => void;
  /** The visitor has left. Another person's `onSession` comes later, if at all. */
  onLeave: () => void;
  /** Asks the other tabs for theirs. */
  askTabs: () => void;
}

/** Time in ms that the other tabs have to hand over their session. */
const tabsAnswerMs = 250;

/** The visitor's session. Its token is in memory alone. */
export class Session {
  readonly #options: SessionOptions;
  #current: SessionView | null = null;
  /** Id of the last visitor, who may have no token by now; empty before the first one. */
  #visitorId = "";
  /** Grows when a visitor leaves. */
  #visit = 0;
  /** A token that the API has refused. Another tab may not know it yet. */
  #refused: string | null = null;
  #beginning: Promise<SessionView> | null = null;
  #onTaken: (() => void) | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get current(): SessionView | null {
    return this.#current;
  }

  get token(): string | null {
    return this.#current?.token ?? null;
  }

  /**
   * Takes over the session of another tab, or one that an answer has brought.
   * @returns false where it is known already
   */
  take(session: SessionView, isShared = false): boolean {
    if (session.token === this.#current?.token || session.token === this.#refused) return false;
    const { id } = session.visitor;
    if (this.#visitorId !== "" && !isSamePerson(this.#visitorId, id)) this.#leave();
    this.#visitorId = id;
    this.#current = session;
    if (session.resume !== null) this.#options.shelf.write(session.resume);
    this.#onTaken?.();
    this.#options.onSession(session, isShared);
    return true;
  }

  /** Goes on after the API has refused a token: with a newer one, else with another session. */
  async renew(token: string | null): Promise<SessionView> {
    if (this.#current !== null && this.token !== token) return this.#current;
    this.#refused = token;
    this.#current = null;
    return await this.begin();
  }

  /** Begins or resumes a session. Calls that come meanwhile get the same one. */
  async begin(): Promise<SessionView> {
    const beginning = (this.#beginning ??= this.#begin());
    return await beginning.finally(() => {
      if (this.#beginning === beginning) this.#beginning = null;
    });
  }

  forget(): void {
    this.#current = null;
    this.#visitorId = "";
    this.#beginning = null;
    this.#options.shelf.write(null);
    this.#leave();
  }

  #leave(): void {
    this.#visit += 1;
    this.#options.onLeave();
  }

  /** A call with the token. A session that has ended is resumed once. @throws CallError */
  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return await this.#withToken(
      async (token) => await this.#prove<Answer>(method, path, { token, body }),
    );
  }

  /** @throws CallError */
  async upload<Answer>(
    file: File,
    options: { onProgress: (part: number) => void; signal: AbortSignal },
  ): Promise<Answer> {
    return await this.#withToken(async (token) => await uploadFile<Answer>(file, token, options));
  }

  /** Reads a file, for which an address cannot carry the token. @throws CallError */
  async readFile(path: string): Promise<Blob> {
    return await this.#withToken(async (token) => await fetchFile(path, token));
  }

  /** Passes on what belongs to the present visitor. It throws once that one has left. */
  #ownOf(): Own {
    const visit = this.#visit;
    return (value) => {
      if (visit !== this.#visit) throw new CallError("session_expired", 401);
      return value;
    };
  }

  /** A call belongs to its visitor: the next person neither makes it nor gets its answer. */
  async #withToken<Answer>(act: (token: string) => Promise<Answer>): Promise<Answer> {
    const own = this.#ownOf();
    const token = this.token ?? own(await this.begin()).token;
    try {
      return own(await act(token));
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 401) throw error;
      // A token that was forgotten is not renewed. Another call may have renewed it already.
      own(token);
      return own(await act(own(await this.renew(token)).token));
    }
  }

  async #begin(): Promise<SessionView> {
    if (this.#options.isPreview()) throw new CallError("preview", 400);
    const { key, shelf, readFacts } = this.#options;
    const own = this.#ownOf();
    // The session of another tab may be that of another person, so the API compares.
    if (readFacts().identity === undefined) await this.#waitForTabs();
    if (this.#current !== null) return this.#current;
    const resume = own(shelf.read());
    const body = { key, ...readFacts(), ...(resume === null ? {} : { resume }) };
    const session = own(await this.#prove<SessionView>("POST", "/sessions", { body }));
    this.#refused = null;
    this.take(session);
    return session;
  }

  async #waitForTabs(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onTaken = resolve;
      this.#options.askTabs();
      setTimeout(resolve, tabsAnswerMs);
    });
    this.#onTaken = null;
  }

  /** Calls the API, and again with a proof if the API asks for one. */
  async #prove<Answer>(
    method: string,
    path: string,
    options: { token?: string; body?: unknown },
  ): Promise<Answer> {
    const own = this.#ownOf();
    try {
      return await callApi<Answer>(method, path, options);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 428) throw error;
      const { callWithProof } = await import("./net/proof.ts");
      return await callWithProof<Answer>(error.details, own, method, path, options);
    }
  }
}
