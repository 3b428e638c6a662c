import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import { localPath } from "../../dev/local.ts";
import {
  startFuzzedInstallation,
  type AnswerCount,
  type FuzzedInstallation,
} from "./installation.ts";
import { findSchemathesis, fuzzFile, runInTerminal } from "./schemathesis.ts";

const help = `npm run fuzz:api [-- --examples <n>] [--seed <n>] [--small]

Calls every operation of API v1 with thousands of valid and broken requests made from its OpenAPI
document, and holds every answer against that document. MySQL and API of its own, on fresh data below
.local/. Schemathesis comes from PyPI and needs python3. About ten minutes.

  --examples <n>  generated requests per operation in each phase, 1500 unless given
  --seed <n>      repeats a run; every run prints its seed
  --small         20 examples, to see that it runs
`;

const reportFile = localPath("log", "fuzz-report.json");

const reportSchema = z.object({
  test_cases: z.object({ generated: z.int(), with_failures: z.int(), errored: z.int() }),
});

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      small: { type: "boolean", default: false },
      examples: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const program = await findSchemathesis();
  const installation = await startFuzzedInstallation();
  try {
    const examples = values.examples ?? (values.small ? "20" : "1500");
    return await fuzz(program, installation, { examples, seed: values.seed });
  } finally {
    await installation.stop();
  }
}

async function fuzz(
  program: string,
  installation: FuzzedInstallation,
  { examples, seed }: { examples: string; seed: string },
): Promise<number> {
  const { apiUrl, apiKey, slug } = installation;
  const args = ["--config-file", fuzzFile("schemathesis.toml"), "run"];
  args.push(`${apiUrl}/api/v1/openapi.json`, "--seed", seed, "--max-examples", examples);
  args.push("--report-json-path", reportFile);
  const env = { PATH: process.env["PATH"], FUZZ_API_KEY: apiKey, FUZZ_SLUG: slug };
  const started = performance.now();
  const code = await runInTerminal(program, args, env);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const answers = await installation.countAnswers();
  const { generated, with_failures, errored } = readReport();
  printAnswers(answers);
  console.log(
    `\n${generated} generated calls in ${seconds} s, ${with_failures} with failures, ${errored} with errors; seed ${seed}. Log of the API: ${installation.logFile}`,
  );
  const faults = answers.some(({ status }) => status >= 500);
  return code === 0 && with_failures + errored === 0 && !faults ? 0 : 1;
}

function printAnswers(answers: AnswerCount[]): void {
  console.log("\nAnswers by operation and status, those that seeded the accounts included:\n");
  for (const operation of [...new Set(answers.map((one) => one.operation))].toSorted()) {
    const own = answers.filter((one) => one.operation === operation);
    const counts = own.map(({ status, count }) => `${status}: ${count}`);
    console.log(`  ${operation.padEnd(44)} ${counts.toSorted().join("  ")}`);
  }
}

function readReport(): z.output<typeof reportSchema>["test_cases"] {
  return reportSchema.parse(JSON.parse(readFileSync(reportFile, "utf8"))).test_cases;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(messageOf(error));
  return 1;
});
