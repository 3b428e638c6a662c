import { expect, test } from "vitest";
import { openClinic } from "./clinic.ts";
import { runTranscript } from "./transcripts.ts";

type Scene = "new" | "known" | "booked" | "booked twice";

/** Calls and reply of the last of the customer's messages. */
async function lastOf(texts: readonly string[], scene: Scene) {
  const turns = texts.map((customer) => ({ customer }));
  const played = (await runTranscript({ turns }, openClinic(scene))).at(-1);
  return { tools: (played?.calls ?? []).map(({ tool }) => tool), reply: played?.reply ?? "" };
}

test.each([
  ["no podré ir el jueves, ¿puedo ir el viernes a las 4?", "viernes 27 de noviembre, 16:00"],
  ["no podré asistir el jueves, mejor el lunes a las 10", "lunes 30 de noviembre, 10:00"],
  ["no voy a poder ir, ¿puede ser el viernes?", "viernes 27 de noviembre, 09:00"],
  ["no puedo ir el jueves, ¿tienes algo el viernes?", "viernes 27 de noviembre, 09:00"],
  ["no puedo ir el jueves, el viernes mejor", "viernes 27 de noviembre, 09:00"],
  ["I can't make it Thursday, do you have Friday?", "Friday, November 27, 9:00 AM"],
  ["I can't make it Thursday, Friday instead please", "Friday, November 27, 9:00 AM"],
  ["no alcanzo a llegar a las 10, ¿puede ser a las 4?", "¿A qué hora?"],
  ["I can't make it Thursday, can we do Friday at 4?", "Friday, November 27, 4:00 PM"],
  ["I can't come on Thursday, is Friday ok?", "Friday, November 27, 9:00 AM"],
])("who cannot come and asks for another time is offered a move: %s", async (text, says) => {
  const { reply } = await lastOf([text], "booked");
  expect(reply).toContain(says);
  expect(reply).not.toMatch(/cancel/iu);
});

test("the yes to such a move moves the appointment that is meant", async () => {
  const wish = "no podré ir el martes, mejor el miércoles a las 10";
  expect((await lastOf([wish], "booked twice")).reply).toContain("Ortodoncia, martes 1");
  expect((await lastOf([wish, "sí"], "booked twice")).tools).toEqual(["reschedule_appointment"]);
});

test.each([
  "no podré ir el jueves",
  "can't make it Thursday",
  "no podré ir el jueves. ¿Me cobran?",
  "no podré ir el jueves, salgo de viaje el miércoles",
  "no puedo ir el jueves, ¿me la pueden cancelar?",
  "no puedo ir el jueves, cancélala y agéndame el viernes",
  "Ya no quiero la cita, ¿me devuelven el anticipo hoy?",
  "I don't need the appointment anymore, can I get my deposit back today?",
  "no puedo ir el jueves, ¿y hoy me devuelven el anticipo?",
  "no puedo ir el jueves, ¿hay devolución hoy?",
  "cancela mi cita, ¿o puede ser el viernes?",
])("who cannot come and wishes no other time is asked whether to cancel: %s", async (text) => {
  expect((await lastOf([text], "booked")).reply).toMatch(/^(?:¿Cancelo|Shall I cancel)/u);
});

test("who cannot come and asks for the hours gets them, and is asked whether to cancel", async () => {
  const { reply } = await lastOf(["No voy a poder ir, ¿a qué hora cierran hoy?"], "booked");
  expect(reply).toMatch(/abrimos[^]*¿Cancelo/u);
});

test("a booking under way goes on where the customer cannot come on its day", async () => {
  const texts = [
    "quiero una ortodoncia el viernes a las 4",
    "no puedo ir el viernes, ¿y el lunes?",
  ];
  expect((await lastOf(texts, "booked")).reply).toMatch(/^¿Agendo Ortodoncia: lunes 30/u);
});

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
  [ofDays, "el 1", "martes 1 de diciembre, 10:00"],
  [ofDays, "el 25", "miércoles 25 de noviembre, 10:00"],
  [ofDays, "la 2", "miércoles 25 de noviembre, 10:00"],
  [ofDays, "el 2", "miércoles 2 de diciembre, 10:00"],
  [ofDays, "mejor el 2", "miércoles 2 de diciembre, 10:00"],
  [ofDays, "prefiero el 2", "miércoles 2 de diciembre, 10:00"],
  [ofDays, "el 3", "jueves 3 de diciembre, 10:00"],
])(
  "after %s, %s is a number of the list, or a day or time beside it",
  async (first, answer, says) => {
    expect((await lastOf([first, answer], "known")).reply).toContain(
      `¿Agendo Limpieza dental: ${says}`,
    );
  },
);

const toBeNamed = "limpieza el viernes a las 4";
test.each([
  "mejor a las 5",
  "Perdón, a las 5",
  "entonces a las 5",
  "Digo, a las 5",
  "actually 5pm",
  "make it 5pm",
])("asked for the name, another time is no name, and counts: %s", async (answer) => {
  const { tools } = await lastOf([toBeNamed, answer], "new");
  expect(tools).toEqual(["find_slots"]);
  const { reply } = await lastOf([toBeNamed, answer, "Ana López"], "new");
  expect(reply).toMatch(/viernes 27 de noviembre, 17:00|Friday, November 27, 5:00 PM/u);
});

test.each([
  ["Ana, mejor a las 5", "viernes 27 de noviembre, 17:00"],
  ["Ana López, pero el lunes", "lunes 30 de noviembre, 16:00"],
  ["soy Domingo Pérez, mejor el lunes", "lunes 30 de noviembre, 16:00"],
  ["Abril, pero a las 5", "viernes 27 de noviembre, 17:00"],
  ["Julio Abril Mayo", "viernes 27 de noviembre, 16:00"],
  ["Ana López, gracias, hasta mañana", "viernes 27 de noviembre, 16:00"],
  ["Juan Pérez, 12/05/1988", "viernes 27 de noviembre, 16:00"],
  ["Ana López, 5 de mayo de 1988", "viernes 27 de noviembre, 16:00"],
  ["Ana López, 55-12-34-56-78", "viernes 27 de noviembre, 16:00"],
  ["Ana López, pero nací el 5 de mayo", "viernes 27 de noviembre, 16:00"],
  ["Ana López, Calle 5 de mayo 10", "viernes 27 de noviembre, 16:00"],
  ["Ana López, tengo 25 años", "viernes 27 de noviembre, 16:00"],
])("beside the name that was asked for, a day or a time counts: %s", async (answer, says) => {
  const { tools, reply } = await lastOf([toBeNamed, answer], "new");
  expect(tools).toContain("update_contact");
  expect(reply).toContain(`¿Agendo Limpieza dental: ${says}`);
});

test.each(["mío", "Mejor", "under my name"])("asked for the name, %s is none", async (answer) => {
  expect((await lastOf([toBeNamed, answer], "new")).tools).toEqual([]);
});
