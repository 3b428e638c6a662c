import i18next from "i18next";
import type { TurnOutcome } from "../../../../core/model/agent.ts";
import type { Tone } from "../status.tsx";

/** Tone of an outcome. Handing over is a normal end, so only a failure needs somebody. */
export const outcomeTones: Record<TurnOutcome, Tone> = {
  replied: "ok",
  drafted: "ok",
  silent: "gray",
  handed_off: "info",
  paused: "gray",
  superseded: "gray",
  failed: "bad",
};

/** Groups of codes that a trace holds. */
type CodeGroup = "reason" | "engine" | "tool" | "guard" | "failure" | "refusal";

/** A code of a trace in words. An unknown code reads as itself, without underscores. */
export function turnWord(group: CodeGroup, code: string): string {
  const key = `turns.${group}.${code}`;
  return i18next.exists(key)
    ? String(i18next.t(key as "turns.engine.basic"))
    : code.replaceAll("_", " ");
}
