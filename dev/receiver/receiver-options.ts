import { parseArgs } from "node:util";

/** Options of the example receiver. All are optional. */
export interface ReceiverOptions {
  /** By default 4000; 0 takes any free port. */
  port?: number;
  /** By default 127.0.0.1. */
  host?: string;
  /** Secrets in the form that Parley shows, with `whsec_`. A signature must match one of them. */
  secrets?: string[];
  /** File for secrets that are added at run time. */
  secretsFile?: string;
  /** Number of POSTs of each event that are answered 500. */
  fail?: number;
  /** True: no POST is answered. */
  hang?: boolean;
  /** Gets one line per POST. */
  print?: (line: string) => void;
}

/** Output of `--help`. */
export const receiverHelp = `Receives Parley's webhooks, verifies them and prints one line for each.

Usage: npm run receiver -- [options]

  --port N             port to listen on (RECEIVER_PORT, 4000)
  --host ADDRESS       address to listen on (127.0.0.1)
  --secret whsec_…     secret of a subscription; repeat it for several (RECEIVER_SECRET, by commas)
  --secrets-file PATH  keeps the secrets that are added at run time
  --fail N             answer 500 to the first N POSTs of each event
  --hang               never answer
  --help               print this

POST to any path is an event. The URL of a subscription may ask for the same and more:
  ?fail=N   500 to the first N POSTs of each event      ?hang   no answer      ?status=CODE

From this machine only:
  GET /                                   counts and the last 50 POSTs as JSON
  POST /secrets {"secret":"whsec_…"}      add a secret while running

Without any secret every event is accepted and marked "unverified".`;

/**
 * Reads the command line. RECEIVER_PORT and RECEIVER_SECRET are the defaults.
 * @throws Error that names the wrong argument
 */
export function parseReceiverCommand(
  args: string[],
  env: Record<string, string | undefined>,
): ReceiverOptions | "help" {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: env["RECEIVER_PORT"] || "4000" },
      host: { type: "string" },
      secret: { type: "string", multiple: true, default: splitList(env["RECEIVER_SECRET"]) },
      "secrets-file": { type: "string" },
      fail: { type: "string", default: "0" },
      hang: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    port: parseCount("--port", values.port, 65_535),
    host: values.host,
    secrets: values.secret,
    secretsFile: values["secrets-file"],
    fail: parseCount("--fail", values.fail, 1_000_000),
    hang: values.hang,
  };
}

function splitList(text = ""): string[] {
  return text.split(/[\s,]+/u).filter((part) => part !== "");
}

function parseCount(name: string, text: string, most: number): number {
  const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (count <= most) return count;
  throw new Error(`${name} takes a whole number from 0 to ${most}.`);
}
