import type { TimeReading } from "../../../core/agent/basic/dates.ts";

const short = (text: string) => text.replace(/^2026-/u, "");

/** A reading in the notation of `corpus/dates.ts`. */
export function writeReading(reading: TimeReading): string {
  const { days, excluded, named, part, time, window, question } = reading;
  const range = ({ from, to }: { from: string; to: string | null }) =>
    from === to ? short(from) : `${short(from)}..${to === null ? "" : short(to)}`;
  return [
    days === null ? "" : range(days),
    // A part is only worth telling where no time is known.
    time === null && window === null && question === null ? (part ?? "") : "",
    time ?? "",
    window === null ? "" : `${window.from}-${window.to}`,
    days?.to === null
      ? excluded.slice(0, 1).map((day) => `!${short(day)}`)
      : excluded.map((day) => `!${short(day)}`),
    named === null ? "" : `@${range(named)}`,
    question === null
      ? ""
      : [`?${question.about}`, question.choices.map(short).join("|")].join(" ").trim(),
  ]
    .flat()
    .filter((piece) => piece !== "")
    .join(" ");
}
