import { basicStep } from "../../core/agent/basic/basic-agent.ts";
import { buildIndex, type SearchItem } from "../../core/agent/search.ts";
import type { AgentContext } from "../../core/agent/context.ts";
import { percentile } from "./load.ts";
import { inMs } from "./print.ts";

const itemCount = 5_000;
const week = [{ from: "09:00", to: "19:00" }];
const timeZone = "America/Mexico_City";
const now = new Date("2026-11-24T15:00:00.000Z");

const plainTexts = [
  "hola quiero una cita para el jueves a las 5 de la tarde",
  "cuánto cuesta la limpieza dental y aceptan tarjeta?",
  "no, mejor mañana por la mañana entre las 10 y las 12",
  "I need to move my Thursday appointment to Friday at 3pm",
];

const hostileTexts = [
  "9",
  "9 ",
  "1/2 ",
  "10:30 ",
  "mañana ",
  "no el lunes ",
  "entre las 10 y las ",
  "de la ",
  "a.m.",
  "a@a.a.",
  "quiero quisiera necesito ",
  "cancelar cambiar cita mover ",
  "á",
  "?¿!.",
  "cuántto questa limpiesa ",
  "soy soy soy ",
].map((text) => text.repeat(Math.ceil(2_000 / text.length)).slice(0, 2_000));

/** CPU of the built-in agent per step, and time of a search in 5,000 items. */
export function benchAgentBasic(scale: number): Promise<string[][]> {
  const rounds = Math.max(20, Math.round(200 * scale));
  const plain = measureSteps(plainTexts, rounds);
  const hostile = measureSteps(hostileTexts, Math.max(5, Math.round(rounds / 4)));
  const search = measureSearch(rounds * 5);
  return Promise.resolve([
    ["step, a customer's text: p50", inMs(percentile(plain, 0.5))],
    ["p99", inMs(percentile(plain, 0.99))],
    ["step, 2,000 hostile characters: p50", inMs(percentile(hostile, 0.5))],
    ["p99 (goal: 50 ms)", inMs(percentile(hostile, 0.99))],
    [`search of ${itemCount} items: p50`, inMs(percentile(search, 0.5))],
    ["p99 (goal: 20 ms)", inMs(percentile(search, 0.99))],
  ]);
}

function measureSteps(texts: readonly string[], rounds: number): number[] {
  for (const text of texts) basicStep(contextOf(text));
  return Array.from({ length: rounds }, () => texts)
    .flat()
    .map((text) => {
      const context = contextOf(text);
      const before = process.cpuUsage();
      basicStep(context);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
}

function measureSearch(count: number): number[] {
  const search = buildIndex(Array.from({ length: itemCount }, (_, id) => itemOf(id + 1)));
  const texts = [
    ...plainTexts,
    ...Array.from({ length: 40 }, (_, index) => questionOf(index * 97)),
    hostileTexts[14] ?? "",
  ];
  for (const text of texts) search(text);
  return Array.from({ length: count }, (_, index) => {
    const started = performance.now();
    search(texts[index % texts.length] ?? "");
    return performance.now() - started;
  });
}

const subjects =
  "limpieza corona implante brackets blanqueamiento consulta carilla endodoncia radiografía resina".split(
    " ",
  );
const aspects =
  "precio duración dolor garantía cuidado requisito ayuno seguro factura descuento".split(" ");
const groups =
  "niños adultos embarazadas mayores deportistas estudiantes familias turistas empleados vecinos".split(
    " ",
  );

const pick = (words: readonly string[], index: number) => words[index % words.length] ?? "";

function questionOf(id: number): string {
  return `¿Cuál es el ${pick(aspects, id)} de ${pick(subjects, Math.floor(id / 10))} para ${pick(groups, Math.floor(id / 100))} en sucursal ${Math.floor(id / 1_000)} modelo${id}?`;
}

function itemOf(id: number): SearchItem {
  const phrasings = [`${pick(aspects, id)} ${pick(subjects, Math.floor(id / 10))} modelo${id}`];
  return { id, question: questionOf(id), phrasings, answer: `Respuesta ${id}.`, language: "es" };
}

function contextOf(text: string): AgentContext {
  return {
    account: { name: "Clínica", timeZone, locale: "es", address: "Centro 1" },
    persona: { name: "", tone: "neutral", instructions: "", introduces: false },
    now,
    teamIsOpen: true,
    services: Array.from({ length: 20 }, (_, index) => {
      return {
        id: index + 1,
        name: `Servicio ${pick(subjects, index)}`,
        durationMinutes: 60,
        resourceIds: [1, 2],
      };
    }),
    resources: [1, 2].map((id) => {
      const weeklyHours = {
        monday: week,
        tuesday: week,
        wednesday: week,
        thursday: week,
        friday: week,
        saturday: [],
        sunday: [],
      };
      return { id, name: `Dra. Soto ${id}`, timeZone, weeklyHours };
    }),
    stages: [],
    contact: { name: "Ana", phone: null, email: null },
    appointments: [],
    messages: [{ id: 1, speaker: "customer", text, at: now }],
    answeredUpTo: 0,
    knowledge: [],
    offers: [],
    untold: [],
    language: null,
    dialogue: null,
    tools: [
      "find_slots",
      "book_appointment",
      "reschedule_appointment",
      "cancel_appointment",
      "update_contact",
      "hand_off",
    ],
    rounds: [],
  };
}
