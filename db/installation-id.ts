import { randomInt } from "node:crypto";

/** No vowels, so that no words appear, and no characters that look alike. */
const alphabet = "bcdfghjkmnpqrstvwxz23456789";
const length = 6;

/**
 * Generates the id of a new installation: one of 387 million, short enough to read in Temporal UI.
 */
export function makeInstallationId(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
