import { expect, test } from "vitest";
import { openClinic } from "./clinic.ts";
import { runTranscript } from "./transcripts.ts";

async function replyTo(customer: string): Promise<string> {
  return (await runTranscript({ turns: [{ customer }] }, openClinic("booked"))).at(-1)?.reply ?? "";
}

test.each([
  "¿la puedes cambiar al viernes a las 9?",
  "la podrias mover al viernes a las 9",
  "¿me la pueden pasar al viernes a las 9?",
  "¿la puedo cambiar para el viernes a las 9?",
  "¿la cambiamos al viernes a las 9?",
])("%s asks to move the appointment", async (text) => {
  expect(await replyTo(text)).toMatch(/^¿Cambio tu cita de: .* a: viernes 27 de noviembre, 09:00/u);
});

test.each([
  "¿la puedo pasar a recoger?",
  "¿la puedo cambiar a talla M?",
  "la puedo cambiar por otra",
])("%s moves nothing", async (text) => {
  expect(await replyTo(text)).not.toMatch(/cambio tu cita|estos horarios/iu);
});
