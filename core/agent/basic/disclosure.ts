import type { Locale } from "../../model/user.ts";
import type { AgentContext } from "../context.ts";

const texts: Record<Locale, (agent: string, company: string) => string> = {
  es: (agent, company) =>
    agent === ""
      ? `Soy el asistente virtual de ${company}.`
      : `Soy ${agent}, asistente virtual de ${company}.`,
  en: (agent, company) =>
    agent === ""
      ? `I am the virtual assistant of ${company}.`
      : `I am ${agent}, the virtual assistant of ${company}.`,
};

/** First words of the agent to a customer, which say that it is an assistant. */
export function disclosure({ account, persona, language }: AgentContext): string {
  return texts[language ?? account.locale](persona.name, account.name);
}
