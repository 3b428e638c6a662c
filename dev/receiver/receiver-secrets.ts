import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The secrets of the subscriptions that post to the receiver. */
export interface SecretStore {
  list(): readonly string[];
  /**
   * Adds a secret and writes the file, if there is one.
   * @returns false when the text is not a secret of ours
   */
  add(secret: string): boolean;
}

/**
 * Opens the given secrets and those in the file, one per line. Only added secrets are written to
 * the file, which no other user can read.
 * @throws Error with the position of the first given text that is not `whsec_` and base64
 */
export function openSecretStore(given: readonly string[], file?: string): SecretStore {
  const wrong = given.findIndex((secret) => !isSecret(secret));
  if (wrong !== -1) throw new Error(`Secret ${wrong + 1} is not of the form whsec_ and base64.`);
  const kept = new Set(file !== undefined && existsSync(file) ? readSecrets(file) : []);
  return {
    list: () => [...new Set([...given, ...kept])],
    add: (secret) => {
      if (!isSecret(secret)) return false;
      kept.add(secret);
      if (file !== undefined) writeSecrets(file, kept);
      return true;
    },
  };
}

function isSecret(text: string): boolean {
  return /^whsec_[0-9A-Za-z+/]{4,}={0,2}$/u.test(text);
}

function readSecrets(file: string): string[] {
  return readFileSync(file, "utf8").split(/\s+/u).filter(isSecret);
}

/** Written to a second file and renamed, so that an interruption loses nothing. */
function writeSecrets(file: string, secrets: Iterable<string>): void {
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, [...secrets, ""].join("\n"), { mode: 0o600 });
  renameSync(part, file);
}
