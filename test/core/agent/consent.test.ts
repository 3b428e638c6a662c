import { expect, test } from "vitest";
import { openClinic } from "./clinic.ts";
import { runTranscript } from "./transcripts.ts";

/** Tools that the agent calls for each of the customer's messages. */
async function callsOf(
  texts: readonly string[],
  scene: "new" | "known" | "booked" | "booked twice",
) {
  const turns = texts.map((customer) => ({ customer }));
  const played = await runTranscript({ turns }, openClinic(scene));
  return played.map(({ calls }) => calls.map(({ tool }) => tool));
}

const effect = /^(?:book|reschedule|cancel)_/u;

test.each([
  "Por favor no la canceles",
  "ya no la canceles",
  "sí voy a ir, no la canceles",
  "no me la canceles por favor",
  "please do not cancel it",
  "don't cancel it",
  "no quiero cancelarla",
  "Sí, pero déjame ver",
  "bueno, no sé todavía",
  "ok, let me check with my wife first",
])("asked to confirm, the agent does not cancel: %s", async (answer) => {
  const calls = await callsOf(["quiero cancelar mi cita", answer], "booked");
  expect(calls.at(-1)?.filter((tool) => effect.test(tool))).toEqual([]);
});

// The words may mean a yes or that the customer comes. The same question again harms nobody.
test.each([
  "sí voy",
  "sí, sí voy a ir",
  "sí, ahí estaré",
  "sí quiero ir",
  "yes, I'll be there",
  "yes, I'm coming",
  "sí, confirmo mi asistencia",
  "si llegamos",
  "sí, déjala",
  "yes, keep it",
])("asked to confirm, the agent asks again: %s", async (answer) => {
  const turns = [{ customer: "quiero cancelar mi cita" }, { customer: answer }];
  const last = (await runTranscript({ turns }, openClinic("booked"))).at(-1);
  expect(last?.calls).toEqual([]);
  expect(last?.reply).toMatch(/¿Cancelo tu cita|Shall I cancel your appointment/u);
});

test.each([
  "sí",
  "sí, cancélala",
  "sí, ya no voy",
  "sí, no voy a poder ir",
  "sí, cancélala, voy a estar de viaje",
  "si porque voy a salir de viaje",
  "sí, ya no llegaré",
  "yes, I'm going to be busy",
  "yes, I can't make it",
  "si por favor",
  "yes please",
  "cancélala",
  "ok, gracias",
])("asked to confirm, the agent cancels: %s", async (answer) => {
  const calls = await callsOf(["quiero cancelar mi cita", answer], "booked");
  expect(calls.at(-1)).toContain("cancel_appointment");
});

test("a yes that names another appointment leads to a question about that one", async () => {
  const turns = ["quiero cancelar la cita de limpieza", "Sí, pero la de ortodoncia"];
  const calls = await callsOf(turns, "booked twice");
  expect(calls.at(-1)).not.toContain("cancel_appointment");
});

const booking = ["quiero una limpieza con la Dra. Soto el viernes a las 10 de la mañana"];

test.each([
  "Ok, déjame ver y te aviso",
  "Ok, déjame ver",
  "Sí, déjame pensarlo",
  "ok al rato",
  "sí, espera",
  "ok, dame un minuto",
  "ok, hold on",
  "bueno, no sé todavía",
  "Sí, pero más tarde",
  "Sí, pero mejor con el Dr. Ramírez",
  "perfecto, no puedo a esa hora",
  "sí, si no cuesta mucho",
  "sí, siempre y cuando sea con la Dra. Soto",
  "sí, pero solo si es gratis",
  "yes, as long as it is free",
  "Sure, let me check with my wife first",
])("asked to confirm, the agent does not book: %s", async (answer) => {
  const calls = await callsOf([...booking, answer], "known");
  expect(calls.at(-1)?.filter((tool) => effect.test(tool))).toEqual([]);
});

test.each(["sí", "sí, muchas gracias", "ok perfecto", "sí, nada más", "yes, that works"])(
  "asked to confirm, the agent books: %s",
  async (answer) => {
    const calls = await callsOf([...booking, answer], "known");
    expect(calls.at(-1)).toContain("book_appointment");
  },
);
