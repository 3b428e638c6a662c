import { parseArgs, type ParseArgsConfig } from "node:util";
import type { z } from "zod";
import { messageOf } from "../core/errors.ts";

/** One subcommand of `parley`. */
export interface Command {
  /** The answer to `--help`. */
  help: string;
  /** States the effect of a failure, in front of its reason: "Nothing was changed." */
  afterFailure?: string;
  /** @throws UsageError if the arguments are wrong */
  run(args: string[]): Promise<void>;
}

/** The caller gave wrong arguments. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type OptionTypes = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads the options of a command.
 * @throws UsageError for an unknown option, or a word that belongs to no option
 */
export function readOptions<const T extends OptionTypes>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** Checks the values of options. @throws UsageError with the message of every wrong value */
export function checkOptions<T>(schema: z.ZodType<T>, values: unknown): T {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map(({ message }) => message).join(" "));
}

/** Writes one line for people. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
