import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import { createSecretBox, generateSecretKey } from "../../core/secrets.ts";

const upState = z.object({
  /** Origin of the API: `http://127.0.0.1:3000`. */
  apiUrl: z.url(),
  /** Null where the database has no demo account. */
  apiKey: z.string().nullable(),
  /** The password is null once its owner has chosen another one. */
  admin: z.object({ email: z.string(), password: z.string().nullable() }).nullable(),
  temporalAddress: z.string(),
  temporalUiUrl: z.url().nullable(),
  databaseUrl: z.string(),
  /** Origin of the example receiver. */
  receiverUrl: z.url(),
  /** Origins of the stand-ins by their key; empty without `--stand-ins`. */
  standIns: z.record(z.string(), z.url()).default({}),
});

/** State that a start printed, for scripts and for the next start. */
export type UpState = z.infer<typeof upState>;

/**
 * Reads `up.json` of the last start.
 * @returns null where the file is missing or cannot be read
 */
export function readUpState(folder: string): UpState | null {
  const path = join(folder, "up.json");
  if (!existsSync(path)) return null;
  try {
    return upState.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

/** Writes `up.json`, readable by its owner only. */
export function writeUpState(folder: string, state: UpState): void {
  writePrivateFile(join(folder, "up.json"), `${JSON.stringify(state, null, 2)}\n`);
}

/**
 * Key for the encryption of secrets: the given one, else the one in `secret.key`, which the first
 * start creates.
 * @throws Error that names the origin of a key that cannot be used
 */
export function ensureSecretKey(folder: string, given: string | undefined): string {
  const path = join(folder, "secret.key");
  if (given === undefined && !existsSync(path)) {
    writePrivateFile(path, `${generateSecretKey("local")}\n`);
  }
  const secretKey = given ?? readFileSync(path, "utf8").trim();
  try {
    createSecretBox(secretKey);
    return secretKey;
  } catch (error) {
    const from = given === undefined ? path : "SECRET_KEY";
    throw new Error(`${from} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Written to a second file and renamed, so that an interruption leaves the old or the new content.
 */
function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text, { mode: 0o600 });
  chmodSync(part, 0o600);
  renameSync(part, path);
}
