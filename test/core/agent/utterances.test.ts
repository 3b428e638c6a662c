import { describe, expect, test } from "vitest";
import { readDates } from "../../../core/agent/basic/dates.ts";
import { detectLanguage } from "../../../core/agent/basic/language.ts";
import { findIntents } from "../../../core/agent/basic/intents.ts";
import { readWords } from "../../../core/agent/basic/vocabulary.ts";
import { clinicHours, clinicNow } from "./clinic.ts";
import { englishUtterances } from "./corpus/utterances-en.ts";
import { spanishUtterances } from "./corpus/utterances-es.ts";
import { writeReading } from "./reading-notation.ts";

interface Utterance {
  text: string;
  language: "es" | "en";
  intents: string[];
  dates: string;
  /** Every third: nobody looks at its result while the agent is tuned. */
  heldOut: boolean;
}

const parse = (lines: string, language: "es" | "en"): Utterance[] =>
  lines
    .trim()
    .split("\n")
    .map((line, index) => {
      const [text = "", intents = "", dates = ""] = line.split("|").map((part) => part.trim());
      return {
        text,
        language,
        intents: intents.split(", ").filter(Boolean),
        dates,
        heldOut: index % 3 === 2,
      };
    });

const utterances = [...parse(spanishUtterances, "es"), ...parse(englishUtterances, "en")];
const tuned = utterances.filter(({ heldOut }) => !heldOut);
const heldOut = utterances.filter((one) => one.heldOut);

/** F1 over all wishes of all utterances. */
function scoreIntents(list: readonly Utterance[]): { f1: number; faults: string[] } {
  let right = 0;
  let found = 0;
  let wanted = 0;
  const faults: string[] = [];
  for (const { text, intents } of list) {
    const read = [...findIntents(readWords(text))];
    const shared = read.filter((one) => intents.includes(one));
    right += shared.length;
    found += read.length;
    wanted += intents.length;
    if (shared.length !== read.length || shared.length !== intents.length) {
      faults.push(`${text}: ${read.join(", ")} instead of ${intents.join(", ")}`);
    }
  }
  return { f1: (2 * right) / (found + wanted), faults };
}

/** Utterances whose days and times are neither read right nor asked for. */
function listWrongDates(list: readonly Utterance[]): string[] {
  return list.flatMap(({ text, language, dates }) => {
    const reading = readDates(readWords(text), {
      now: clinicNow,
      timeZone: "America/Mexico_City",
      language,
      hours: [clinicHours],
    });
    const read = writeReading(reading);
    return read === dates || reading.question !== null
      ? []
      : [`${text}: "${read}" instead of "${dates}"`];
  });
}

describe("utterances", () => {
  test("there are at least 300, in both languages, a third of them held out", () => {
    expect(utterances.length).toBeGreaterThanOrEqual(300);
    expect(heldOut.length).toBeGreaterThanOrEqual(99);
  });

  test.each([
    ["tuned", tuned],
    ["held out", heldOut],
  ])("%s: the F1 of the intents is at least 0.9", (_part, list) => {
    expect(scoreIntents(list).f1).toBeGreaterThanOrEqual(0.9);
  });

  test.each([
    ["tuned", tuned],
    ["held out", heldOut],
  ])("%s: each day and time is read right, or asked for", (_part, list) => {
    expect(listWrongDates(list)).toEqual([]);
  });

  test("19 of 20 texts are in the language that is detected", () => {
    const detected = utterances.filter(
      ({ text, language }) => detectLanguage(text, null, language) === language,
    );
    expect(detected.length / utterances.length).toBeGreaterThanOrEqual(0.95);
  });
});
