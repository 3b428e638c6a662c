import { expect, test } from "vitest";
import { seedClinic } from "../../../../dev/launcher/demo-clinic.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture, takeTurn } from "./turn-fixture.ts";

// The built-in agent with the real tools, in the clinic of the demo account.
const fixture = useFixture(async () => {
  const started = await startTurnFixture();
  await started.run((tx) => seedClinic(tx));
  return started;
});

/** Writes one text after the other. @returns the answer to each, and the tools that ran. */
async function talk(...texts: string[]) {
  const from = freshPhone();
  const turns = [];
  for (const text of texts) turns.push(await takeTurn(fixture, text, from));
  const conversation = "SELECT id FROM conversations WHERE customer_external_id = ?";
  const [{ id } = { id: 0 }] = await fixture.sql<{ id: number }>(conversation, [from]);
  const appointments = await fixture.sql<{ status: string; source: string }>(
    "SELECT status, source FROM appointments WHERE conversation_id = ? ORDER BY id",
    [id],
  );
  return { said: turns.map(({ said }) => said), turns, appointments };
}

test("a booking in Spanish: day, service, agenda, choice, name and a last question", async () => {
  const { said, turns, appointments } = await talk(
    "Quiero una cita el jueves por la tarde",
    "limpieza",
    "me da igual",
    "la 2",
    "Ana Torres",
    "sí",
  );
  expect(said[0]).toContain("2. Limpieza (cleaning)");
  expect(said[2]).toMatch(/1\. jueves .+\n2\. jueves .+\n3\. jueves /u);
  expect(said[4]).toMatch(/^¿Agendo Limpieza \(cleaning\): jueves .+\?/u);
  expect(said[5]).toMatch(/Ana.*\nCita confirmada: jueves /u);
  expect(turns.flatMap(({ tools }) => tools)).toEqual([
    "find_slots",
    "update_contact",
    "book_appointment",
  ]);
  expect(appointments).toEqual([{ status: "confirmed", source: "agente" }]);
});

test("a booking in English: an exact time that is free needs no choice", async () => {
  const { said, appointments } = await talk(
    `book a check-up on ${workdayAhead()} at 9:30am with anyone`,
    "my name is John Smith",
    "yes please",
  );
  expect(said[1]).toMatch(/^Shall I book Consulta \(check-up\): .+, 9:30 AM, Dr\. .+\?/u);
  expect(said[2]).toMatch(/John.*\nAppointment confirmed: /u);
  expect(appointments).toHaveLength(1);
});

/** A workday that is two days ahead or more, so that its morning has not begun. */
function workdayAhead(): string {
  const today = new Date().getUTCDay();
  return today === 1 || today === 2 ? "thursday" : "wednesday";
}

test("a move replaces the appointment, and a cancellation ends it", async () => {
  const { said, turns, appointments } = await talk(
    "cita para consulta el jueves por la tarde con cualquiera, soy Luis Pérez",
    "la primera",
    "sí",
    "quiero cambiar mi cita",
    "el viernes en la mañana",
    "la 1",
    "sí",
    "cancela mi cita",
    "sí",
  );
  expect(said[2]).toContain("Cita confirmada: jueves");
  expect(said[5]).toMatch(/jueves .+ viernes /u);
  expect(said[6]).toContain("Cita movida: viernes");
  expect(said[8]).toContain("Cita cancelada: viernes");
  expect(turns.flatMap(({ tools }) => tools)).toContain("reschedule_appointment");
  expect(appointments.map(({ status }) => status)).toEqual(["rescheduled", "cancelled"]);
});

test("a move keeps to its agenda where that one is free, and goes to one that the customer names", async () => {
  const { said, turns } = await talk(
    "cita para consulta el jueves por la tarde con el Dr. Ruiz, soy Luis Pérez",
    "la primera",
    "sí",
    "quiero cambiar mi cita",
    "el viernes en la mañana",
    "mejor con el Dr. Soto",
    "la 2",
    "sí",
  );
  expect(said[2]).toContain("Dr. Ruiz");
  expect(said[4]?.match(/Dr\. \w+/gu)).toEqual(["Dr. Ruiz", "Dr. Ruiz", "Dr. Ruiz"]);
  expect(said[5]?.match(/viernes .+ Dr\. Soto/gu)).toHaveLength(3);
  expect(said[7]).toMatch(/Cita movida: viernes .+Dr\. Soto/u);
  expect(turns.flatMap(({ tools }) => tools)).toContain("reschedule_appointment");
});

test("a change of the agenda alone, at the last question, keeps day and time", async () => {
  const { said } = await talk(
    "cita para consulta el jueves a las 5 de la tarde con el Dr. Ruiz, soy Luis Pérez",
    "sí",
    "mueve mi cita al viernes a las 4 de la tarde",
    "sí, pero con el Dr. Soto",
  );
  expect(said[2]).toMatch(/viernes .+16:00.*Dr\. Ruiz/u);
  expect(said[3]).toMatch(/viernes .+16:00.*Dr\. Soto/u);
});

test.each(["el primero", "con el primero, por favor"])(
  "%s is an agenda where the question was for one, and no day of the month",
  async (answer) => {
    const { said } = await talk("cita para consulta el jueves por la tarde", answer);
    expect(said[1]?.match(/jueves .+ Dr\. Soto/gu)).toHaveLength(3);
  },
);

test("a question in the middle is answered, and the flow goes on", async () => {
  const { said } = await talk(
    "me agendan ortodoncia el viernes a las 10? soy Eva Ruiz",
    "¿hay estacionamiento?",
    "sí",
  );
  expect(said[1]).toContain("El estacionamiento detrás del edificio es gratis");
  expect(said[1]).toContain("¿Agendo Ortodoncia");
  expect(said[2]).toContain("Cita confirmada: viernes");
});

test("an unknown question is never answered, and the second one asks for a person", async () => {
  const { turns } = await talk("¿venden bicicletas?", "¿y patines rojos?");
  expect(turns.map(({ outcome }) => outcome)).toEqual(["replied", "handed_off"]);
  expect(turns[1]?.tools).toEqual(["hand_off"]);
});

test("the agent says once that it is an assistant, and opening hours come from the agendas", async () => {
  const { said } = await talk("hola, a qué hora abren?", "gracias");
  expect(said[0]).toMatch(/^Soy el asistente virtual de /u);
  expect(said[0]).toContain("9:00");
  expect(said[1]).not.toContain("asistente virtual");
});

test("a question about one's own appointment gets no stored answer beside it", async () => {
  const { said } = await talk("¿cuándo es mi cita?");
  expect(said[0]).not.toContain("dólares");
});
