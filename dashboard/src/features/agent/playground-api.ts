import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callApi, type AnswerOf, type BodyOf } from "../../lib/api.ts";

/** The answer to a line of a trial. */
export type TrialAnswer = AnswerOf<"POST /agent/playground">;
/** Channel, contact, moment and provider of a trial. */
export type TrialSetting = Omit<BodyOf<"POST /agent/playground">, "text" | "trial">;

/** A line of the customer, with the answer to it. */
export interface TrialLine {
  text: string;
  answer: TrialAnswer;
}

/** A trial of the draft. The server keeps nothing of it, so a reload ends it. */
export function useTrial(setting: TrialSetting) {
  const [lines, setLines] = useState<TrialLine[]>([]);
  const send = useMutation({
    mutationFn: async (text: string) => {
      const trial = lines.at(-1)?.answer.trial;
      const body = { ...setting, text, ...(trial === undefined ? {} : { trial }) };
      return await callApi("POST /agent/playground", { body });
    },
    // An answer that comes after "Start over" belongs to no line any more.
    onSuccess: (answer, text) =>
      setLines((now) => (now === lines ? [...now, { text, answer }] : now)),
  });
  return {
    lines,
    send,
    startOver: () => {
      setLines([]);
      send.reset();
    },
  };
}
