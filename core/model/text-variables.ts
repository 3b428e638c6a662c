/** Variables of a canned answer or of a macro's reply, written as `{{contact.name}}`. */
export const textVariables = [
  "contact.name",
  "contact.first_name",
  "contact.phone",
  "contact.email",
  "agent.name",
  "agent.first_name",
  "account.name",
] as const;
export type TextVariable = (typeof textVariables)[number];

/** Values of the variables. Null or an empty text means that the value is missing. */
export type VariableValues = Record<TextVariable, string | null>;

/** Everyone whom a text may name. The contact's name may be the fallback that answers show. */
export interface VariableSources {
  contact: { name: string | null; phone: string | null; email: string | null };
  agent: { name: string };
  account: { name: string };
}

const variable = /\{\{\s*([^{}]*?)\s*\}\}/gu;
/** Stands for a missing value while a text is filled. */
const gap = "\0";

/** Values of the variables in one conversation. A name that is a phone or an email is no name. */
export function variableValues({ contact, agent, account }: VariableSources): VariableValues {
  const name = ownName(contact);
  return {
    "contact.name": name,
    "contact.first_name": firstWord(name),
    "contact.phone": contact.phone === null ? null : `+${contact.phone}`,
    "contact.email": contact.email,
    "agent.name": agent.name,
    "agent.first_name": firstWord(agent.name),
    "account.name": account.name,
  };
}

/** Variables in a text that do not exist, each once, as they are written. */
export function unknownVariables(text: string): string[] {
  const names = [...text.matchAll(variable)].map(([, name = ""]) => name);
  return [...new Set(names)].filter((name) => !isVariable(name));
}

/**
 * The text with its variables filled. Spaces before a missing value go with it: "Hola
 * {{contact.first_name}}, ¿qué tal?" becomes "Hola, ¿qué tal?". At the start of a line the comma
 * goes too. A value is never filled again, and an unknown variable stays as written.
 */
export function fillVariables(text: string, values: VariableValues): string {
  const filled = text.replaceAll(variable, (written, name: string) => {
    if (!isVariable(name)) return written;
    const value = (values[name] ?? "").replaceAll(gap, "").trim();
    return value === "" ? gap : value;
  });
  return filled
    .replaceAll(new RegExp(`^(?:${gap}[ \\t]*)+[,;:]?[ \\t]*`, "gmu"), "")
    .replaceAll(new RegExp(`[ \\t]*${gap}`, "gu"), "");
}

function isVariable(name: string): name is TextVariable {
  return textVariables.some((one) => one === name);
}

function ownName({ name, phone, email }: VariableSources["contact"]): string | null {
  if (name === null || name === phone || name === email) return null;
  return /^Visitor \d+$/u.test(name) ? null : name;
}

function firstWord(name: string | null): string | null {
  return name?.trim().split(/\s+/u)[0] ?? null;
}
