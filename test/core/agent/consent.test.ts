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

test.each([
  "sí voy",
  "sí, sí voy",
  "siempre sí voy",
  "sí sí voy",
  "claro que sí voy",
  "claro que quiero ir",
  "sí puedo ir",
  "sí voy a llegar tarde",
  "claro que voy",
  "sí iré",
  "sí voy a ir",
  "sí llego",
  "sí quiero mi cita",
  "yes I'm coming",
  "yes, I'll be there",
  "yes I will come",
  "yes I can make it",
])("asked to confirm, the agent keeps what the customer comes to: %s", async (answer) => {
  const turns = ["quiero cancelar mi cita", answer].map((customer) => ({ customer }));
  const [, played] = await runTranscript({ turns }, openClinic("booked"));
  expect(played?.calls).toEqual([]);
  expect(played?.reply).toMatch(/no hago ningún cambio|change nothing/u);
});

test.each([
  "sí, ya no voy",
  "sí no voy a ir",
  "sí, voy a estar fuera",
  "sí voy de viaje",
  "sí, luego voy",
  "sí quiero",
  "sí la quiero cancelar",
  "yes, I'm going away",
  "yes I won't be there",
  "yes I can't make it",
  "Sí, es que voy a ir con otro dentista",
  "sí voy a ir con otro dentista",
  "Sí, cancélala, es que voy a ir de viaje",
  "Sí por favor, es que voy a llegar muy tarde",
  "Sí, es que quiero ir a otro lado",
  "Sí cancela, luego veo si puedo ir",
  "Yes, I don't think that I can make it",
  "Yes, I don't think that I will be there",
  "Yes, nobody will be there",
  "Yes, I doubt I can make it",
  "Yes please, if I can make it I will call you",
  "Sí, ya no voy a ir. ¿Me devuelven el anticipo hoy?",
])("asked to confirm, the agent cancels for one who does not come: %s", async (answer) => {
  const calls = await callsOf(["quiero cancelar mi cita", answer], "booked");
  expect(calls.at(-1)).toContain("cancel_appointment");
});

test.each([
  "Sí quiero ir, pero no puedo",
  "Sí voy, pero mejor otro día",
  "Sí, no puedo ir. ¿Era a las 10, verdad?",
  "Yes, none of us are coming",
])("asked to confirm, the agent asks again for one who is in doubt: %s", async (answer) => {
  const turns = ["quiero cancelar mi cita", answer].map((customer) => ({ customer }));
  const [, played] = await runTranscript({ turns }, openClinic("booked"));
  expect(played?.calls).toEqual([]);
  expect(played?.reply).toMatch(/¿Cancelo|Shall I cancel/u);
});

test.each(["sí", "sí, cancélala", "si por favor", "yes please", "cancélala", "ok, gracias"])(
  "asked to confirm, the agent cancels: %s",
  async (answer) => {
    const calls = await callsOf(["quiero cancelar mi cita", answer], "booked");
    expect(calls.at(-1)).toContain("cancel_appointment");
  },
);

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
