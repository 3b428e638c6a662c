import { randomInt } from "node:crypto";

const consonants = "bdfghjklmnprstvz";
const vowels = "aeiou";
const words = 4;
const syllablesPerWord = 3;

/**
 * A random password that is easy to read aloud and type, such as `tomike-garuso-lefani-bodure`; 75
 * bits.
 */
export function generateReadablePassword(): string {
  const syllable = () =>
    consonants.charAt(randomInt(consonants.length)) + vowels.charAt(randomInt(vowels.length));
  const word = () => Array.from({ length: syllablesPerWord }, syllable).join("");
  return Array.from({ length: words }, word).join("-");
}
