import { parseArgs } from "node:util";
import { z } from "zod";
import { databaseUrl } from "../../core/database-url.ts";
import { messageOf } from "../../core/errors.ts";
import { localPath } from "../local.ts";
import { standIns } from "./stand-ins.ts";

const port = z.coerce.number("Use a port from 0 to 65535.").int().min(0).max(65_535).optional();

const environment = z.object({
  PARLEY_STATE_DIR: z.string().default(localPath()),
  DATABASE_URL: databaseUrl.optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_UI_URL: z.string().optional(),
  TEMPORAL_NAMESPACE: z.string().default("default"),
  SECRET_KEY: z.string().optional(),
  HOST: z.string().default("127.0.0.1"),
  PORT: port,
  METRICS_PORT: port,
  RECEIVER_PORT: port,
  STAND_IN_PORT: port,
  GOOGLE_STAND_IN_PORT: port,
  CALENDLY_STAND_IN_PORT: port,
  MYSQL_PORT: port,
  TEMPORAL_PORT: port,
  TEMPORAL_UI_PORT: port,
});

/** Variables that the launcher itself reads. All variables are passed on to the services. */
export type UpSettings = z.output<typeof environment> & {
  /** Every variable that is not empty, for the API and the worker. */
  passedOn: NodeJS.ProcessEnv;
};

/** Output of `npm start -- --help`. */
export const upHelp = `Starts all of Parley on this machine: MySQL, Temporal, the API, the worker and an example receiver.

Usage: npm start [-- --stand-ins]

  --stand-ins          also starts stand-ins of Meta, Google and Calendly. The demo account's WhatsApp,
                       Messenger and Instagram are connected. The printed addresses are pages to
                       write as a customer, and to edit a calendar that an admin has connected.
                       Calendly's takes calls alone. Refused where NODE_ENV is production
  --help               print this

It looks for MySQL and Temporal, fetches what is missing (once), creates the schema, fills an empty
database with a demo account, and prints the addresses, a login, an API key and commands to try.
Ctrl-C stops all that it started and nothing else; a second Ctrl-C kills it at once. All state stays:
the next start has the same data, login and key, and goes on with the workflows that were running.

Settings (environment variables):
  DATABASE_URL         mysql://user:password@host:port/database to use instead of a private MySQL
  TEMPORAL_ADDRESS     host:port to use instead of a private Temporal, with the other standard
                       TEMPORAL_* variables; TEMPORAL_UI_URL is where its web UI is
  SECRET_KEY           what secrets are encrypted with, instead of the kept one
  PORT                 of the API (3000)
  RECEIVER_PORT        of the example receiver (4000, then the one it had before)
  STAND_IN_PORT        of the stand-in of Meta (4020)
  GOOGLE_STAND_IN_PORT of the stand-in of Google (4030)
  CALENDLY_STAND_IN_PORT
                       of the stand-in of Calendly (4040)
  MYSQL_PORT           of the private MySQL (3307)
  TEMPORAL_PORT        of the private Temporal (7233)
  TEMPORAL_UI_PORT     of its web UI (8233)
  METRICS_PORT         of the API's metrics (9464); the worker's take the next free one
  HOST                 address the API listens on (127.0.0.1)
  PARLEY_STATE_DIR     folder for all state (.local); downloads are kept in .local in any case
A port that is taken gives way to the next free one; 0 stands for any. All other settings of the API
and the worker are passed on; ALLOW_PRIVATE_TARGETS and MODEL_ALLOW_PRIVATE_TARGETS are true and
NODE_ENV is development unless set.

Files in the state folder (delete the folder to start from nothing):
  up.json              addresses, login and key as printed; readable to you alone. When it is lost,
                       the next start makes a new key and a new password
  secret.key           opens the secrets in the database: keep it with the data
  receiver.secrets     what the example receiver verifies with
  mysql/ temporal/     their data
  log/                 what each part logs
  run/                 which processes run`;

/** An invalid command line or setting. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Command line of the launcher. */
export interface UpCommand {
  help: boolean;
  /** Starts the stand-ins too. */
  standIns: boolean;
}

/** Reads the command line. @throws UsageError for an unknown option */
export function parseUpCommand(args: string[]): UpCommand {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: "boolean", short: "h", default: false },
        "stand-ins": { type: "boolean", default: false },
      },
    });
    return { help: values.help, standIns: values["stand-ins"] };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** Reads the launcher's settings. An empty variable counts as missing. @throws UsageError */
export function readUpSettings(env: NodeJS.ProcessEnv): UpSettings {
  const passedOn = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = environment.safeParse(passedOn);
  if (parsed.success) return { ...parsed.data, passedOn };
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new UsageError(lines.join("\n"));
}

/**
 * Refuses stand-ins where they could take the place of other companies for real customers.
 * @throws UsageError in production, and where a setting of theirs has a value
 */
export function checkStandIns({ passedOn }: UpSettings): void {
  if (passedOn["NODE_ENV"] === "production")
    throw new UsageError("--stand-ins is for trying Parley: NODE_ENV must not be production.");
  const names = standIns.flatMap(({ settings }) => Object.keys(settings("")));
  const taken = names.find((name) => passedOn[name] !== undefined);
  if (taken !== undefined)
    throw new UsageError(`--stand-ins sets ${taken} itself: start without this variable.`);
}
