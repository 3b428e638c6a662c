import { randomInt } from "node:crypto";

/** No vowels, so that no words arise; nothing that looks like something else. */
const alphabet = "bcdfghjkmnpqrstvwxz23456789";
const length = 6;

/** Makes the id of a new installation: one of 387 million, short enough to read in Temporal UI. */
export function makeInstallationId(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
