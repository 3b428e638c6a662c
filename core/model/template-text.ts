import { placeholder, type TemplateDefinition } from "./template.ts";
import type { FilledTemplate } from "./template-check.ts";
import type { TemplatePlace } from "./template-params.ts";

/** A template as the customer reads it. A place without a value keeps its braces. */
export interface TemplatePieces {
  /** Null where the heading is no text, or there is none. */
  header: string | null;
  body: string;
  footer: string | null;
  buttons: { text: string; url: string | null }[];
}

/** Values by part and key. All of them may be missing. */
export type PartialValues = Partial<Record<TemplatePlace, ReadonlyMap<string, string>>>;

/** Texts of a template. `header.text` is null or absent where the heading is a file. */
export interface TemplateTexts {
  header: { kind: string; text?: string | null } | null;
  body: string;
  footer: string | null;
  buttons: readonly { text: string; url: string | null }[];
}

/** Puts values into the texts of a template. Braces inside a value stay as they are. */
export function renderPieces(
  { header, body, footer, buttons }: TemplateTexts,
  values: PartialValues,
): TemplatePieces {
  return {
    header: typeof header?.text === "string" ? put(header.text, values.header) : null,
    body: put(body, values.body),
    footer,
    buttons: buttons.map(({ text, url }, index) => {
      const suffix = values.buttons?.get(String(index + 1));
      const link = url === null || suffix === undefined ? url : putAll(url, suffix);
      return { text, url: link };
    }),
  };
}

/** The whole text of a template that is sent: heading, body and footer. */
export function renderContent(definition: TemplateDefinition, filled: FilledTemplate): string {
  const { header, body, footer } = renderPieces(definition, filled);
  return [header, body, footer].filter((part) => part !== null && part !== "").join("\n\n");
}

function put(text: string, values: ReadonlyMap<string, string> | undefined): string {
  return text.replace(placeholder, (braces, key: string) => values?.get(key) ?? braces);
}

function putAll(text: string, value: string): string {
  return text.replace(placeholder, () => value);
}
