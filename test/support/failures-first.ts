import type { Reporter, TestCase, TestModule, TestRunEndReason } from "vitest/node";
import type { SerializedError } from "vitest";

const mostLines = 12;
const mostCharacters = 160;

/** Says in a few lines what failed, before the long report of each: a log that is cut still names all. */
export default class FailuresFirst implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    if (reason === "passed") return;
    const failures = modules.flatMap((module) => [
      ...module.errors().map((error) => tell(module.relativeModuleId, error)),
      ...[...module.children.allTests("failed")].map(tellTest),
    ]);
    const others = unhandled.map((error) => tell("outside any test", error));
    process.stdout.write(`\n${[...failures, ...others].join("\n")}\n`);
  }
}

function tellTest(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const name = `${test.module.relativeModuleId} > ${test.fullName}`;
  const processes = test.meta().processes ?? [];
  return [error === undefined ? `FAIL ${name}` : tell(name, error), ...processes].join("\n");
}

function tell(where: string, { message, diff, stacks }: SerializedError): string {
  const line = stacks?.[0] === undefined ? "" : ` (line ${stacks[0].line})`;
  const lines = `${message}\n${typeof diff === "string" ? diff : ""}`.split("\n");
  const said = lines.filter((one) => one.trim() !== "").slice(0, mostLines);
  return [`FAIL ${where}${line}`, ...said.map((one) => `  ${one.slice(0, mostCharacters)}`)].join(
    "\n",
  );
}
