import { backOffMs } from "./back-off.ts";
import { makeSseParser, type StreamEvent } from "./sse-parser.ts";

/** A stream counts as dead after this silence in ms. The server sends a beat every 25 s. */
const silenceMs = 40_000;
/** Pause in ms between two polls, while the server takes no further stream. */
const pollMs = 20_000;

/** Reasons for a stream to stay closed: the session is over, or it was stopped here. */
export interface StreamOptions {
  readToken: () => string | null;
  onEvent: (event: StreamEvent) => void;
  /** True while events arrive. */
  onState: (isLive: boolean) => void;
  /** The API has refused the token. Resolves once there is another one. */
  onExpired: (token: string | null) => Promise<void>;
  /** Reads by plain calls, while there is no stream. */
  poll: () => Promise<void>;
}

/** The live stream of one browser. It comes back by itself until it is stopped. */
export class LiveStream {
  readonly #options: StreamOptions;
  #abort: AbortController | null = null;
  #lastEventId: string | null = null;
  #token: string | null = null;
  #tries = 0;
  /** The server asked for a pause until this moment of `performance.now()`. */
  #pausedUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOn = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    addEventListener("online", this.retryNow);
    document.addEventListener("visibilitychange", this.retryNow);
    this.retryNow();
  }

  stop(): void {
    this.#isOn = false;
    removeEventListener("online", this.retryNow);
    document.removeEventListener("visibilitychange", this.retryNow);
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
  }

  /** Forgets the place in the stream: another session has begun. */
  restart(): void {
    if (!this.#isOn) return;
    this.#lastEventId = null;
    this.stop();
    this.start();
  }

  /**
   * Ends the wait after a failure. Call it when the server has answered, or may do so again. A pause
   * that a full server asked for goes on.
   */
  readonly retryNow = (): void => {
    if (!this.#isOn || this.#abort !== null) return;
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) return this.#connectIn(pauseMs);
    clearTimeout(this.#timer);
    void this.#connect();
  };

  #connectIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), ms);
  }

  async #connect(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    let status = 0;
    try {
      status = await this.#read(abort);
    } catch {
      // The network is away, or the silence was too long.
    }
    if (this.#abort === abort) this.#abort = null;
    if (!this.#isOn || this.#abort !== null) return;
    this.#options.onState(false);
    await this.#wait(status);
  }

  async #wait(status: number): Promise<void> {
    this.#tries += 1;
    let pauseMs = backOffMs(this.#tries);
    if (status === 401) await this.#options.onExpired(this.#token).catch(() => undefined);
    if (status === 503 || status === 429) {
      pauseMs = pollMs;
      this.#pausedUntil = performance.now() + pollMs;
      await this.#options.poll().catch(() => undefined);
    }
    if (this.#isOn && this.#abort === null) this.#connectIn(pauseMs);
  }

  /** @returns the HTTP status, once the stream has ended */
  async #read(abort: AbortController): Promise<number> {
    const token = this.#options.readToken();
    this.#token = token;
    if (token === null) return 401;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const hear = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), silenceMs);
    };
    hear();
    try {
      const response = await fetch("/widget/api/stream", {
        headers: {
          accept: "text/event-stream",
          authorization: `Bearer ${token}`,
          ...(this.#lastEventId === null ? {} : { "last-event-id": this.#lastEventId }),
        },
        cache: "no-store",
        credentials: "omit",
        signal: abort.signal,
      });
      if (!response.ok || response.body === null) return response.status;
      await this.#take(response.body, hear);
      return response.status;
    } finally {
      clearTimeout(silence);
    }
  }

  async #take(body: ReadableStream<Uint8Array>, hear: () => void): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parse = makeSseParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      hear();
      for (const event of parse(decoder.decode(value, { stream: true }))) {
        this.#tries = 0;
        if (event.id !== null) this.#lastEventId = event.id;
        this.#options.onState(true);
        this.#options.onEvent(event);
      }
    }
  }
}
