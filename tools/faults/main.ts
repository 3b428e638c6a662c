import { parseArgs } from "node:util";
import { z } from "zod";
import { exitOnSignal } from "../../dev/child.ts";
import { runScenario, type RunOptions, type Scenario, type Verdict } from "./run-scenario.ts";
import { scenarios } from "./scenarios/index.ts";

const help = `npm run faults [-- --only F1,F5] [--seconds <n>] [--seed <n>] [--mode workflow|adaptive]

Breaks an installation under load and holds callers', MySQL's and receivers' books against each other:
see docs/reliability.md. Each scenario has MySQL, Temporal, API, workers and receivers of its own, on
fresh data below .local/ and on loopback; it ends what it started and nothing else.

  --list           the scenarios
  --only <ids>     some of them; all unless given
  --seconds <n>    how long each is under load; as long as it says unless given
  --rate <n>       calls a second, 50 unless given; a scenario takes its share of them
  --events <n>     the backlog of F20, 1000 unless given
  --seed <n>       repeats the same load and the same faults; every run prints its seed
  --mode <mode>    workflow or adaptive: how first attempts are made (FIRST_ATTEMPT)

The exit code is 0 when all held. Logs of the processes are in .local/log/faults/<id>/.
`;

const settings = z.object({
  help: z.boolean(),
  list: z.boolean(),
  only: z.string().optional(),
  seconds: z.coerce.number().int().min(1).optional(),
  rate: z.coerce.number().min(1),
  events: z.coerce.number().int().min(1),
  seed: z.coerce.number().int().min(0),
  mode: z.enum(["workflow", "adaptive"]),
});

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      only: { type: "string" },
      seconds: { type: "string" },
      rate: { type: "string", default: "50" },
      events: { type: "string", default: "1000" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      mode: { type: "string", default: "workflow" },
    },
  });
  const {
    help: asked,
    list,
    only,
    seconds = null,
    rate,
    events,
    seed,
    mode,
  } = settings.parse(values);
  if (asked || list) {
    console.log(
      asked ? help : scenarios.map(({ id, title }) => `${id.padEnd(4)} ${title}`).join("\n"),
    );
    return 0;
  }
  const options = { seed, mode, seconds, perSecond: rate, events };
  const verdicts: Verdict[] = [];
  for (const scenario of chosen(only)) verdicts.push(await runOne(scenario, options));
  printTable(verdicts);
  const given = { seed, mode, rate, events, ...(seconds === null ? {} : { seconds }) };
  const flags = Object.entries(given).map(([name, value]) => `--${name} ${value}`);
  console.log(`\nRepeat with: npm run faults -- ${flags.join(" ")} --only <id>`);
  return verdicts.every(({ breaches }) => breaches.length === 0) ? 0 : 1;
}

/** Selects scenarios by id. @throws Error that names an unknown id */
function chosen(only: string | undefined): readonly Scenario[] {
  if (only === undefined) return scenarios;
  return only.split(",").map((id) => {
    const found = scenarios.find((one) => one.id === id.trim().toUpperCase());
    if (found === undefined) throw new Error(`There is no ${id}; see --list.`);
    return found;
  });
}

async function runOne(scenario: Scenario, options: Omit<RunOptions, "print">): Promise<Verdict> {
  const { id, title } = scenario;
  console.log(`\n${id}  ${title} (seed ${options.seed})`);
  const print = (line: string) => console.log(`     ${line}`);
  const verdict = await runScenario(scenario, { ...options, print });
  for (const breach of verdict.breaches) console.log(`     broken: ${breach}`);
  console.log(`     ${rowOf(verdict)}`);
  return verdict;
}

function printTable(verdicts: readonly Verdict[]): void {
  console.log(
    "\n| | mode | accepted | unknown | delivered | discarded | by the relay | kills | repeats allowed / seen | lateness judged | drained in | |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (const one of verdicts) console.log(rowOf(one));
}

function rowOf(one: Verdict): string {
  const drained = one.drainMs === null ? "never" : `${(one.drainMs / 1_000).toFixed(1)} s`;
  const counts = [one.accepted, one.unknown, one.delivered, one.discarded, one.byRelay, one.kills];
  const repeats = `${one.repeatsAllowed} / ${one.repeatsSeen}`;
  const held = one.breaches.length === 0 ? "held" : "broken";
  const judged = `${(one.calmMs / 1_000).toFixed(0)} of ${(one.totalMs / 1_000).toFixed(0)} s`;
  return `| ${[one.id, one.mode, ...counts, repeats, judged, drained, held].join(" | ")} |`;
}

exitOnSignal();
process.exit(await main());
