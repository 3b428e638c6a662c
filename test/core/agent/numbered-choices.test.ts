import { expect, test } from "vitest";
import { openClinic } from "./clinic.ts";
import { runTranscript } from "./transcripts.ts";

// The agent asks which of two times, or of two days, is meant, and numbers them.
const ofTimes = "limpieza el jueves a las 4 o a las 5";
const ofDays = "limpieza el martes 25 a las 10";
test.each([
  [ofTimes, "1", "jueves 26 de noviembre, 16:00"],
  [ofTimes, "2", "jueves 26 de noviembre, 17:00"],
  [ofTimes, "dos", "jueves 26 de noviembre, 17:00"],
  [ofTimes, "la 2", "jueves 26 de noviembre, 17:00"],
  [ofTimes, "opción 2", "jueves 26 de noviembre, 17:00"],
  [ofTimes, "5", "jueves 26 de noviembre, 17:00"],
  [ofTimes, "mejor a las 2", "jueves 26 de noviembre, 14:00"],
  [ofTimes, "2pm", "jueves 26 de noviembre, 14:00"],
  [ofTimes, "3", "jueves 26 de noviembre, 15:00"],
  [ofDays, "1", "martes 1 de diciembre, 10:00"],
  [ofDays, "2", "miércoles 25 de noviembre, 10:00"],
  [ofDays, "el 2", "miércoles 2 de diciembre, 10:00"],
  [ofDays, "mejor el 2", "miércoles 2 de diciembre, 10:00"],
  [ofDays, "el 1", "martes 1 de diciembre, 10:00"],
  [ofDays, "el 25", "miércoles 25 de noviembre, 10:00"],
  [ofDays, "el 3", "jueves 3 de diciembre, 10:00"],
])(
  "after %s, %s is a number of the list, or a day or time beside it",
  async (first, answer, says) => {
    const turns = [{ customer: first }, { customer: answer }];
    const last = (await runTranscript({ turns }, openClinic("known"))).at(-1);
    expect(last?.reply).toContain(`¿Agendo Limpieza dental: ${says}`);
  },
);
