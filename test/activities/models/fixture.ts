import type { AgentContext } from "../../../core/agent/context.ts";
import { toolNames } from "../../../core/agent/tools.ts";

const day = [{ from: "09:00", to: "18:00" }];

/** A context of a dentist's, with the canaries that must never leave a prompt. */
export function makeContext(patch: Partial<AgentContext> = {}): AgentContext {
  return {
    account: {
      name: "Clínica Sol",
      timeZone: "America/Mexico_City",
      locale: "es",
      address: "Av. Juárez 12",
    },
    persona: { name: "Sol", tone: "friendly", instructions: "Trata de tú.", introduces: false },
    now: new Date("2026-11-23T16:00:00Z"),
    teamIsOpen: true,
    services: [{ id: 1, name: "Limpieza", durationMinutes: 45, resourceIds: [7] }],
    resources: [
      {
        id: 7,
        name: "Dra. Soto",
        timeZone: "America/Mexico_City",
        weeklyHours: {
          monday: day,
          tuesday: day,
          wednesday: day,
          thursday: day,
          friday: day,
          saturday: [],
          sunday: [],
        },
      },
    ],
    stages: [],
    contact: { name: "Ana Canary-Name", phone: "+525512345678", email: null },
    appointments: [],
    messages: [
      { id: 1, speaker: "customer", text: "Hola", at: new Date("2026-11-23T15:58:00Z") },
      { id: 2, speaker: "agent", text: "¿En qué te ayudo?", at: new Date("2026-11-23T15:58:05Z") },
      {
        id: 3,
        speaker: "customer",
        text: "canary-text: ¿cuánto cuesta?",
        at: new Date("2026-11-23T15:59:00Z"),
      },
    ],
    answeredUpTo: 2,
    knowledge: [
      {
        id: 12,
        question: "¿Cuánto cuesta una limpieza?",
        answer: "La limpieza cuesta $800.",
        language: "es",
        score: 0.9,
      },
    ],
    offers: [],
    untold: [],
    language: "es",
    dialogue: null,
    tools: toolNames,
    rounds: [],
    ...patch,
  };
}
