import { cpSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { repositoryRoot } from "../../dev/local.ts";
import { runCommand } from "../../dev/run-command.ts";

/** One stage of a Dockerfile. */
interface Stage {
  /** Its name after AS; the last stage has none. */
  name: string;
  /** Instructions in their order, such as `["COPY", "core core"]`. */
  steps: [instruction: string, rest: string][];
}

/** A stage that was built: the folder that stands for its root, and its environment. */
interface BuiltStage {
  root: string;
  env: Record<string, string>;
}

/**
 * Builds the project's Dockerfile without Docker. Each stage gets an empty folder, exactly the files that
 * its COPY lines name, and what its RUN lines make of them there. Packages of the system are left out.
 * @param folder an empty folder for the stages
 * @returns the working folder of the last stage, and the environment that its ENV lines give
 */
export async function buildImage(
  folder: string,
): Promise<{ cwd: string; env: Record<string, string> }> {
  const built = new Map<string, BuiltStage>();
  for (const stage of parseStages(readFileSync(join(repositoryRoot, "Dockerfile"), "utf8"))) {
    const root = join(folder, stage.name);
    mkdirSync(root, { recursive: true });
    built.set(stage.name, { root, env: await buildStage(stage, root, built) });
  }
  const last = [...built.values()].at(-1);
  if (last === undefined) throw new Error("The Dockerfile has no stage.");
  return { cwd: join(last.root, "app"), env: last.env };
}

function parseStages(dockerfile: string): Stage[] {
  const lines = dockerfile
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .filter((line) => /^[A-Z]+ /u.test(line));
  const stages: Stage[] = [];
  for (const line of lines) {
    const instruction = line.slice(0, line.indexOf(" "));
    const rest = line.slice(instruction.length + 1);
    if (instruction === "FROM") {
      stages.push({ name: / AS (\S+)$/u.exec(rest)?.[1] ?? "final", steps: [] });
    } else stages.at(-1)?.steps.push([instruction, rest]);
  }
  return stages;
}

async function buildStage(
  { steps }: Stage,
  root: string,
  built: ReadonlyMap<string, BuiltStage>,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  let cwd = root;
  for (const [instruction, rest] of steps) {
    if (instruction === "WORKDIR") cwd = join(root, rest);
    if (instruction === "ENV") Object.assign(env, Object.fromEntries([rest.split("=")]));
    mkdirSync(cwd, { recursive: true });
    if (instruction === "COPY") copy(rest, cwd, built);
    if (instruction === "RUN" && !rest.startsWith("apt-get ")) {
      const given = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env };
      await runCommand("sh", ["-c", rest], { cwd, env: given });
    }
  }
  return env;
}

/** One source keeps its own name only below a target that ends in a slash, as in Docker. */
function copy(rest: string, cwd: string, built: ReadonlyMap<string, BuiltStage>): void {
  const from = /^--from=(\S+) /u.exec(rest);
  const [target = "", ...sources] = rest
    .slice(from?.[0].length ?? 0)
    .split(/\s+/u)
    .toReversed();
  const root = from === null ? repositoryRoot : (built.get(from[1] ?? "")?.root ?? "");
  for (const source of sources) {
    const to = join(cwd, target, target.endsWith("/") ? basename(source) : "");
    mkdirSync(dirname(to), { recursive: true });
    // What another stage made is used once.
    if (from === null) cpSync(join(root, source), to, { recursive: true });
    else renameSync(join(root, source), to);
  }
}
