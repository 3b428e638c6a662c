import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createSecretBox, generateSecretKey } from "../../../core/secrets.ts";
import { writeRing } from "../../../core/doorbell/ring.ts";
import { percentile } from "../../bench/load.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, killProcess, type ScenarioContext } from "../scenario-context.ts";
import { crashAt } from "./crash-points.ts";

/** Forged datagrams of one round, at each worker. */
const forgedAtOnce = 50;
const forgeEveryMs = 50;

/**
 * A doorbell is no fault that excuses anything: while it is in trouble, nothing may be late, and nothing
 * may be sent twice (I5, I8). A lost ring costs one pause of a worker's poll at most.
 */
const doorbell: Scenario = {
  id: "F36",
  title: "rings are lost, doubled, late and forged, go to a dead worker, or die with the API",
  seconds: 60,
  share: 0.5,
  async run(stage) {
    const { doorbells, workers } = stage.installation;
    const phaseMs = (stage.seconds * 1_000) / 6;
    const decide = (passage: Parameters<(typeof doorbells)[number]["decide"]>[0]): void => {
      for (const one of doorbells) one.decide(passage);
    };
    await watch(stage, "no trouble", async () => await sleep(phaseMs));
    const isRung = doorbells.every(({ seen }) => seen.some((one) => one.includes(" ring ")));
    check(stage, isRung, "a worker was never rung");
    await watch(stage, "three times, up to 300 ms late", async () => {
      decide(() => ({ copies: 3, afterMs: stage.chance.between(0, 300) }));
      await sleep(phaseMs);
    });
    decide(() => ({ copies: 1, afterMs: 0 }));
    await watch(stage, "forged", async () => await forge(stage, phaseMs));
    await watch(stage, "lost", async () => {
      decide(() => ({ copies: 0, afterMs: 0 }));
      await sleep(phaseMs);
    });
    decide(() => ({ copies: 1, afterMs: 0 }));
    const dead = stage.chance.pick(workers);
    await killProcess(stage, dead);
    await watch(stage, "a dead worker", async () => await sleep(phaseMs));
    await dead.start();
    for (let round = 0; round < 3; round += 1) {
      await crashAt(stage, {
        name: "api, between its commit and the ring",
        who: "api",
        of: "INSERT INTO outbox",
        when: "after",
      });
    }
  },
};

/** Sends what a stranger on the network can send: other keys, repeats, other workers' rings, noise. */
async function forge({ installation, chance }: ScenarioContext, ms: number): Promise<void> {
  const stranger = createSecretBox(generateSecretKey("faults"));
  const { doorbells } = installation;
  const end = performance.now() + ms;
  while (performance.now() < end) {
    for (const { forge: send } of doorbells) {
      const { seen } = chance.pick(doorbells);
      for (let n = 0; n < forgedAtOnce; n += 1) send(chance.pick([noise(chance), ...seen]));
      send(writeRing(stranger, "worker", { kind: "ring", rank: 0 }));
    }
    await sleep(forgeEveryMs);
  }
}

function noise(chance: ScenarioContext["chance"]): Buffer {
  return randomBytes(chance.pick([0, 1, 52, 53, 54, 1_400, 60_000]));
}

/** Tells how late first attempts were during a phase. */
async function watch(
  stage: ScenarioContext,
  name: string,
  phase: () => Promise<void>,
): Promise<void> {
  const from = performance.now();
  await phase();
  const posts = stage.installation.sink.posts.filter(({ at }) => at >= from);
  const first = posts.filter(({ headers }) => headers["x-service-attempt"] === "1");
  const ages = first.map(({ at, headers }) => ageOf(String(headers["x-service-event-id"]), at));
  const ms = (p: number) => percentile(ages, p).toFixed(0);
  stage.print(`${name}: ${ages.length} first attempts, p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms`);
}

/** An event id begins with the milliseconds of its event. */
function ageOf(eventId: string, at: number): number {
  const eventAt = Number.parseInt(eventId.replaceAll("-", "").slice(0, 12), 16);
  return performance.timeOrigin + at - eventAt;
}

export const doorbellScenarios: readonly Scenario[] = [doorbell];
