import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { CallingAccount } from "./accounts.ts";
import { createCaller, type Call } from "./calls.ts";
import type { AnswerLine, CallLine } from "./ledger.ts";
import type { Chance } from "./random.ts";
import { outcomeOf, repeatWaitMs } from "./repeats.ts";

/** Callers at a fixed rate, whether or not earlier calls have their answers. */
export interface Load {
  calls: CallLine[];
  answers: AnswerLine[];
  /**
   * Starts no more calls and resolves when all have ended. Repeatable calls are still repeated for
   * a while.
   */
  stop(): Promise<void>;
}

/**
 * Longer than the claim of a key whose call died. The claim lasts 60 s, in which the API answers
 * 409.
 */
const repeatAfterStopMs = 75_000;
const callMs = 20_000;

/**
 * Starts calls that create contacts: by the API, with and without a key, and by inbound calls with
 * an event id. Other inbound calls tag these contacts. Some repeatable calls are sent twice at
 * once.
 */
export function startLoad(options: {
  urls: readonly string[];
  accounts: readonly CallingAccount[];
  perSecond: number;
  chance: Chance;
}): Load {
  const { urls, accounts, perSecond, chance } = options;
  // One connection per call, because a queue in this client would count as time of the API.
  const agent = new Agent({ pipelining: 1 });
  // Repeats depend on timing, so their draws must not change later calls.
  const [routes, waits] = [chance.fork("routes"), chance.fork("waits")];
  const calls: CallLine[] = [];
  const answers: AnswerLine[] = [];
  const taggable: CallLine[] = [];
  const running = new Set<Promise<void>>();
  let stoppedAt = Number.POSITIVE_INFINITY;

  const makeCall = createCaller(accounts, chance, () => taggable.shift());

  async function tryOnce(call: Call): Promise<Answer> {
    const started = performance.now();
    const answer = await send(agent, routes.pick(urls), call);
    const { status } = answer;
    answers.push({ at: started, ms: performance.now() - started, status, kind: call.line.kind });
    return answer;
  }

  async function run(call: Call): Promise<void> {
    const { line } = call;
    calls.push(line);
    const twice = line.repeatable && chance.next() < 0.1;
    for (let tries = 0; ; tries += 1) {
      const known = await Promise.all([tryOnce(call), ...(twice ? [tryOnce(call)] : [])]);
      line.outcome = outcomeOf(known.map(({ status }) => status));
      const over = performance.now() > stoppedAt + repeatAfterStopMs;
      if (line.outcome !== "unknown" || !line.repeatable || over) break;
      const retryAfterMs = known.flatMap((answer) => answer.retryAfterMs);
      await sleep(repeatWaitMs(tries, retryAfterMs, waits.next()));
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

interface Answer {
  /** 0 where no answer arrived. */
  status: number;
  /** Time of `Retry-After` in ms; empty without the header. */
  retryAfterMs: number[];
}

async function send(agent: Agent, url: string, { path, headers, body }: Call): Promise<Answer> {
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
    const seconds = Number(answer.headers["retry-after"]);
    return { status: answer.statusCode, retryAfterMs: seconds > 0 ? [seconds * 1_000] : [] };
  } catch {
    return { status: 0, retryAfterMs: [] };
  }
}
