import { errorNumber, RaceLost } from "../errors.ts";

/** Runs an insert; where a unique key refuses the row, the race is lost. @throws RaceLost */
export async function insertOrLose<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (errorNumber(error) === 1062) throw new RaceLost();
    throw error;
  }
}

/** `text` as it must stand in a LIKE pattern to mean itself. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}

/** `?, ?, ?` for a list of values. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
