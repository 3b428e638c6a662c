import type { MysqlProxy } from "../mysql-proxy.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, injectFault, untilTrue, type ScenarioContext } from "../scenario-context.ts";
import type { Supervised } from "../supervised.ts";

/** A place where a process dies. */
export interface CrashPoint {
  name: string;
  who: "api" | "worker";
  /** A part of the text of a statement. At the COMMIT of its transaction the process dies. */
  of: string;
  when: "before" | "after";
}

/** Every place where one of our transactions ends and another system follows. */
const crashPoints: readonly CrashPoint[] = [
  { name: "api, before its commit", who: "api", of: "INSERT INTO outbox", when: "before" },
  { name: "api, after its commit", who: "api", of: "INSERT INTO outbox", when: "after" },
  { name: "relay, after the claim", who: "worker", of: "UPDATE outbox SET lease", when: "after" },
  { name: "relay, after the start", who: "worker", of: "DELETE FROM outbox", when: "before" },
  {
    name: "attempt, before the post",
    who: "worker",
    of: "INSERT INTO delivery_attempts",
    when: "after",
  },
  {
    name: "attempt, before its outcome",
    who: "worker",
    of: "STRAIGHT_JOIN delivery_attempts",
    when: "before",
  },
  {
    name: "attempt, after its outcome",
    who: "worker",
    of: "STRAIGHT_JOIN delivery_attempts",
    when: "after",
  },
];

const usualSpringMs = 20_000;

/** One process of each kind, so that the process behind each COMMIT is known. */
const atCommit: Scenario = {
  id: "F3",
  title: "api and worker die at every point between a commit and what comes next",
  seconds: 0,
  share: 0.5,
  shape: { workers: 1 },
  async run(stage) {
    for (const point of stage.chance.shuffle(crashPoints)) await crashAt(stage, point);
  },
};

/**
 * Kills a process at a COMMIT, and waits until its supervisor has started it again.
 * @param springMs time in ms until the process has to reach the COMMIT
 */
export async function crashAt(
  stage: ScenarioContext,
  { name, who, of, when }: CrashPoint,
  springMs = usualSpringMs,
): Promise<void> {
  const { apis, workers, proxies } = stage.installation;
  const one: Supervised | undefined = who === "api" ? apis[0] : workers[0];
  const proxy: MysqlProxy = who === "api" ? proxies.apiMysql : proxies.workerMysql;
  if (one === undefined) throw new Error(`There is no ${who}.`);
  await injectFault(stage, `kill the ${name}`, who === "api" ? "none" : "span", async () => {
    let sprung = false;
    const pid = one.pid();
    void proxy
      .trapCommit({ of, when, act: () => process.kill(pid, "SIGKILL") })
      .then(() => (sprung = true));
    check(stage, (await untilTrue(() => sprung, springMs)) !== null, `never reached: ${name}`);
    stage.kills += 1;
    // Its supervisor starts it again.
    await untilTrue(() => one.isRunning() && one.pid() !== pid, springMs);
    await one.start();
  });
}

export const crashScenarios: readonly Scenario[] = [atCommit];
