import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../random.ts";
import type { Scenario } from "../run-scenario.ts";
import { injectFault, killProcess, type ScenarioContext } from "../scenario-context.ts";
import type { TcpProxy } from "../tcp-proxy.ts";
import { killMysql } from "./mysql.ts";

/** A fault of the mix with its begin, duration and end. It draws its parameters from `chance`. */
type Deed = (stage: ScenarioContext, chance: Chance) => Promise<void>;

const deeds: Record<string, Deed> = {
  async killWorker(stage, chance) {
    const worker = chance.pick(stage.installation.workers);
    await killProcess(stage, worker);
    await sleep(chance.between(0, 2_000));
    await worker.start();
  },
  async killApi(stage, chance) {
    const api = chance.pick(stage.installation.apis);
    await killProcess(stage, api);
    await sleep(chance.between(0, 1_000));
    await api.start();
  },
  async freezeWorker(stage, chance) {
    const worker = chance.pick(stage.installation.workers);
    const ms = chance.between(1_000, 8_000);
    await injectFault(stage, `${worker.name} frozen for ${ms} ms`, "moment", async () => {
      worker.freeze();
      await sleep(ms);
      worker.thaw();
    });
  },
  async loseMysql(stage, chance) {
    await killMysql(stage, chance.between(0, 4_000));
  },
  async freezeMysql(stage, chance) {
    const { mysql } = stage.installation;
    const ms = chance.between(1_000, 5_000);
    await injectFault(stage, `MySQL frozen for ${ms} ms`, "span", async () => {
      mysql.freeze();
      await sleep(ms);
      await mysql.heal();
    });
  },
  async killTemporal(stage, chance) {
    const { temporal } = stage.installation;
    const ms = chance.between(0, 4_000);
    await injectFault(stage, `Temporal killed for ${ms} ms`, "none", async () => {
      await temporal.kill();
      stage.kills += 1;
      await sleep(ms);
      await temporal.start();
    });
  },
  async breakCommits(stage, chance) {
    const { apiMysql, workerMysql } = stage.installation.proxies;
    const fates = chance.fork("fates");
    await injectFault(stage, "COMMITs cut", "none", async () => {
      for (const proxy of [apiMysql, workerMysql]) {
        proxy.decide(() =>
          fates.next() < 0.9 ? "pass" : fates.pick(["before", "after"] as const),
        );
      }
      await sleep(2_000);
      for (const proxy of [apiMysql, workerMysql]) proxy.decide(() => "pass");
    });
  },
  async spoilNetwork(stage, chance) {
    const [name, proxy] = chance.pick(Object.entries<TcpProxy>({ ...stage.installation.proxies }));
    const how = chance.pick(["delay", "blackhole", "down", "reset"] as const);
    const ms = chance.between(500, 4_000);
    // A worker that cannot record an outcome for 8 s gives up, and the attempt is repeated.
    const harm = name === "workerMysql" ? "span" : "none";
    await injectFault(stage, `${name} ${how} for ${ms} ms`, harm, async () => {
      if (how === "delay") proxy.delay(200, 200);
      if (how === "blackhole") proxy.blackhole();
      if (how === "down") await proxy.down();
      if (how === "reset") proxy.reset();
      await sleep(ms);
      await proxy.heal();
    });
  },
};

/** Random faults, one at a time. The seed decides kinds, order and durations. */
export const mix: Scenario = {
  id: "F22",
  title: "a random mix of faults, one after another",
  seconds: 60,
  share: 0.5,
  async run(stage) {
    const chance = stage.chance.fork("mix");
    const end = performance.now() + stage.seconds * 1_000;
    while (performance.now() < end) {
      await sleep(chance.between(500, 3_000));
      const name = chance.pick(Object.keys(deeds));
      stage.print(name);
      await deeds[name]?.(stage, chance);
    }
  },
};

export const mixScenarios: readonly Scenario[] = [mix];
