import type { WidgetLocale } from "../../core/model/widget.ts";
import type { VisitMessage } from "../../core/model/widget-visit.ts";
import { hasForm, type PanelState, type Phase } from "./state.ts";

const texts: Record<WidgetLocale, readonly [question: string, answer: string]> = {
  en: [
    "Do you deliver on Saturdays?",
    "Yes, **until 2 p.m.** Order by Friday noon, and it is with you the next day.",
  ],
  es: [
    "¿Entregan los sábados?",
    "Sí, **hasta las 14 h**. Si pides antes del viernes a mediodía, llega al día siguiente.",
  ],
  pt: [
    "Vocês entregam aos sábados?",
    "Sim, **até as 14 h**. Pedindo até sexta ao meio-dia, chega no dia seguinte.",
  ],
};

/** Sample state of the Dashboard's preview: the first page, and sample messages. */
export function sampleState({ config, locale }: PanelState): Partial<PanelState> {
  const [question, answer] = texts[locale];
  return {
    phase: firstPhase(config.settings),
    messages: [messageOf(1, question, null), messageOf(2, answer, config.company)],
  };
}

function firstPhase(settings: PanelState["config"]["settings"]): Phase {
  if (settings.consent === "required") return "consent";
  return hasForm(settings) ? "form" : "chat";
}

function messageOf(id: number, content: string, company: string | null): VisitMessage {
  return {
    id,
    client_id: null,
    direction: company === null ? "inbound" : "outbound",
    type: "text",
    content,
    author: company === null ? null : { name: company, is_ai: true },
    attachments: [],
    options: null,
    option_id: null,
    reply_to_message_id: null,
    status: "sent",
    created_at: new Date().toISOString(),
    edited_at: null,
    deleted_at: null,
  };
}
