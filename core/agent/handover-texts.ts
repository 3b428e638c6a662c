import type { HandoverReason } from "../model/agent.ts";
import type { Locale } from "../model/user.ts";
import type { AgentContext } from "./context.ts";

/** Closing text to the customer, where the model wrote none. */
export function closingText({ teamIsOpen }: Pick<AgentContext, "teamIsOpen">, language: Locale) {
  return closing[language][teamIsOpen ? "open" : "closed"];
}

const closing: Record<Locale, Record<"open" | "closed", string>> = {
  es: {
    open: "Te paso con una persona de nuestro equipo. Te responde aquí mismo en cuanto pueda.",
    closed:
      "Le paso tu mensaje a una persona de nuestro equipo. Ahora no estamos en horario; te responde aquí mismo en cuanto volvamos.",
  },
  en: {
    open: "I am passing you to a person on our team. They will answer you here as soon as they can.",
    closed:
      "I am passing your message to a person on our team. We are closed right now; they will answer you here once we are back.",
  },
};

/** Reason of a handover, as members of the team read it. */
export function reasonText(reason: HandoverReason, locale: Locale): string {
  return reasons[locale][reason];
}

const reasons: Record<Locale, Record<HandoverReason, string>> = {
  en: {
    asked_for_a_person: "The customer asks for a person",
    keyword: "A keyword of the agent's rules occurs",
    tag: "The contact has a tag of the agent's rules",
    attachment: "The customer sent an attachment",
    not_understood: "The agent did not understand",
    tool_failed: "A tool failed twice",
    guard: "The agent's answer did not pass its checks",
    ai_error: "The model failed",
    ai_timeout: "The model took too long",
    budget: "The budget of the agent is used up",
    limits: "The agent reached a limit",
    loop_suspected: "The conversation goes round in circles",
    agent_decided: "The agent asks for a person",
  },
  es: {
    asked_for_a_person: "El cliente pide hablar con una persona",
    keyword: "Aparece una palabra de las reglas del agente",
    tag: "El contacto tiene una etiqueta de las reglas del agente",
    attachment: "El cliente envió un archivo",
    not_understood: "El agente no entendió",
    tool_failed: "Una herramienta falló dos veces",
    guard: "La respuesta del agente no pasó sus comprobaciones",
    ai_error: "El modelo falló",
    ai_timeout: "El modelo tardó demasiado",
    budget: "Se agotó el presupuesto del agente",
    limits: "El agente llegó a un límite",
    loop_suspected: "La conversación da vueltas",
    agent_decided: "El agente pide a una persona",
  },
};

const headings: Record<Locale, Record<"wanted" | "done" | "failed" | "untold", string>> = {
  en: {
    wanted: "Wanted",
    done: "Done",
    failed: "Not done",
    untold: "The customer does not know yet",
  },
  es: { wanted: "Pidió", done: "Hecho", failed: "Sin hacer", untold: "El cliente aún no lo sabe" },
};
const maxWanted = 600;

/**
 * Note to the person who takes over: the customer's words, the calls that were made, those that
 * were refused, and effects of which the customer was not told.
 */
export function summaryText(
  { burst, context, untold }: { burst: string; context: AgentContext; untold: readonly string[] },
  locale: Locale,
): string {
  const calls = context.rounds.flatMap((round) => round.calls);
  const named = (ok: boolean) => [
    ...new Set(calls.filter(({ result }) => result.ok === ok).map(({ tool }) => tool)),
  ];
  const lines: [keyof (typeof headings)[Locale], string[]][] = [
    ["wanted", burst === "" ? [] : [burst.slice(0, maxWanted)]],
    ["done", named(true)],
    ["failed", named(false)],
    ["untold", [...untold]],
  ];
  return lines
    .filter(([, parts]) => parts.length > 0)
    .map(([heading, parts]) => `${headings[locale][heading]}: ${parts.join("; ")}`)
    .join("\n");
}
