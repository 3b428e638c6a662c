import { readOptions, type Command } from "./command.ts";

const apiHelp = `Starts an API process. Any number may run on one database.

Usage: parley api

It takes no options. Settings come from the environment; it needs DATABASE_URL and SECRET_KEY.
SIGTERM and SIGINT stop it after the requests under way.`;

const workerHelp = `Starts a worker process. Any number may run on one database and one Temporal namespace.

Usage: parley worker

It takes no options. Settings come from the environment; it needs DATABASE_URL, SECRET_KEY and
TEMPORAL_ADDRESS. SIGTERM and SIGINT stop it after the attempts under way.`;

/** `parley api` */
export const api: Command = {
  help: apiHelp,
  async run(args) {
    readOptions(args, {});
    await import("../api/main.ts");
  },
};

/** `parley worker` */
export const worker: Command = {
  help: workerHelp,
  async run(args) {
    readOptions(args, {});
    await import("../worker/main.ts");
  },
};
