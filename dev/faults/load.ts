import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { CallingAccount } from "./accounts.ts";
import { createCaller, type Call } from "./calls.ts";
import type { CallLine } from "./ledger.ts";
import type { Chance } from "./random.ts";

/** One answer of the API, or none: status 0. */
export interface AnswerLine {
  at: number;
  ms: number;
  status: number;
  kind: CallLine["kind"];
}

/** Callers who ask at a fixed rate, whether or not earlier ones have their answers. */
export interface Load {
  calls: CallLine[];
  answers: AnswerLine[];
  /** Starts no more calls; resolves when all have ended. Those that may be repeated still are, for a while. */
  stop(): Promise<void>;
}

/** Longer than a claim of a key whose call died: 60 s, in which it answers 409. */
const repeatAfterStopMs = 75_000;
const repeatEveryMs = 300;
const callMs = 20_000;

/**
 * Starts calls that create contacts, by the API with and without a key, and by inbound calls with an
 * event id, some of which are sent twice; and inbound calls that tag those.
 */
export function startLoad(options: {
  urls: readonly string[];
  accounts: readonly CallingAccount[];
  perSecond: number;
  chance: Chance;
}): Load {
  const { urls, accounts, perSecond, chance } = options;
  const agent = new Agent({ connections: 64, pipelining: 1 });
  // Repeats come when they come: they must not change what is asked for next.
  const routes = chance.fork("routes");
  const calls: CallLine[] = [];
  const answers: AnswerLine[] = [];
  const taggable: CallLine[] = [];
  const running = new Set<Promise<void>>();
  let stoppedAt = Number.POSITIVE_INFINITY;

  const makeCall = createCaller(accounts, chance, () => taggable.shift());

  async function tryOnce(call: Call): Promise<number> {
    const started = performance.now();
    const status = await send(agent, routes.pick(urls), call);
    answers.push({ at: started, ms: performance.now() - started, status, kind: call.line.kind });
    return status;
  }

  async function run(call: Call): Promise<void> {
    const { line } = call;
    calls.push(line);
    const twice = call.repeatable && chance.next() < 0.1;
    for (;;) {
      const known = await Promise.all([tryOnce(call), ...(twice ? [tryOnce(call)] : [])]);
      line.outcome = outcomeOf(known);
      const over = performance.now() > stoppedAt + repeatAfterStopMs;
      if (line.outcome !== "unknown" || !call.repeatable || over) break;
      await sleep(repeatEveryMs);
    }
    if (line.outcome === "accepted" && line.kind === "create") taggable.push(line);
  }

  const loop = keepRate(
    perSecond,
    () => stoppedAt < Number.POSITIVE_INFINITY,
    () => {
      const one = run(makeCall());
      running.add(one);
      void one.finally(() => running.delete(one));
    },
  );
  return {
    calls,
    answers,
    async stop() {
      stoppedAt = Math.min(stoppedAt, performance.now());
      await loop;
      while (running.size > 0) await Promise.all(running);
      await agent.destroy();
    },
  };
}

async function keepRate(
  perSecond: number,
  isOver: () => boolean,
  begin: () => void,
): Promise<void> {
  const started = performance.now();
  for (let index = 0; ; index += 1) {
    const early = started + (index * 1_000) / perSecond - performance.now();
    if (early > 0) await sleep(early);
    if (isOver()) return;
    begin();
  }
}

async function send(agent: Agent, url: string, { path, headers, body }: Call): Promise<number> {
  try {
    const answer = await request(url + path, {
      dispatcher: agent,
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      headersTimeout: callMs,
      bodyTimeout: callMs,
    });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return 0;
  }
}

/** 409 and 429 say that it is too early to tell; a server's fault or silence that it is unknown. */
function outcomeOf(statuses: readonly number[]): CallLine["outcome"] {
  if (statuses.some((status) => status >= 200 && status < 300)) return "accepted";
  const refused = statuses.some(
    (status) => status >= 400 && status < 500 && status !== 409 && status !== 429,
  );
  return refused ? "refused" : "unknown";
}
