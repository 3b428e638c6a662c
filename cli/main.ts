import { fileURLToPath } from "node:url";
import { messageOf } from "../core/errors.ts";
import { print, UsageError, type Command } from "./command.ts";
import { isStale } from "./staleness.ts";

interface Entry {
  name: string;
  summary: string;
  /** Each command loads alone: `parley migrate` needs no Temporal. */
  load: () => Promise<Command>;
}

const entries: Entry[] = [
  {
    name: "api",
    summary: "start an API process",
    load: async () => (await import("./processes.ts")).api,
  },
  {
    name: "worker",
    summary: "start a worker process",
    load: async () => (await import("./processes.ts")).worker,
  },
  {
    name: "migrate",
    summary: "bring the database schema up to date",
    load: async () => (await import("./migrate.ts")).migrateCommand,
  },
  {
    name: "account:create",
    summary: "create an account with its first admin",
    load: async () => (await import("./account-create.ts")).accountCreate,
  },
  {
    name: "email:confirm",
    summary: "confirm or release an email address",
    load: async () => (await import("./email-confirm.ts")).emailConfirm,
  },
];

const help = `Runs and administers Parley.

Usage: parley COMMAND [options]

${entries.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join("\n")}

parley COMMAND --help describes one command. In this folder "npx parley" runs it, and each command
has an npm script of the same name. Exit codes: 0 success, 1 failure, 2 wrong usage.`;

const seeHelp = "parley --help lists all commands.";
const helpOptions = ["--help", "-h"];

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined) throw new UsageError(`The command is missing. ${seeHelp}`);
  if (helpOptions.includes(name)) return print(help);
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) throw new UsageError(`There is no command "${name}". ${seeHelp}`);
  const command = await entry.load();
  if (args.some((one) => helpOptions.includes(one))) return print(command.help);
  warnWhenStale();
  await runCommand(name, command, args);
}

async function runCommand(name: string, command: Command, args: string[]): Promise<void> {
  try {
    await command.run(args);
  } catch (error) {
    const message = [command.afterFailure, messageOf(error)].filter(Boolean).join(" ");
    if (!(error instanceof UsageError)) throw new Error(message, { cause: error });
    throw new UsageError(`${message}\nparley ${name} --help describes it.`, { cause: error });
  }
}

function warnWhenStale(): void {
  if (!isStale(fileURLToPath(new URL(".", import.meta.url)))) return;
  process.stderr.write("dist/ is older than the sources. Run npm run build.\n");
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
