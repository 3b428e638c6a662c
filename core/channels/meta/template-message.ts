import type { TemplateDefinition } from "../../model/template.ts";
import type { FilledTemplate } from "../../model/template-check.ts";

/** Name and language under which Meta knows a template. */
export interface TemplateName {
  name: string;
  language: string;
}

/** The `template` of a message to WhatsApp, as the Graph API takes it. */
export interface GraphTemplate {
  name: string;
  language: { code: string };
  components?: GraphComponent[];
}

interface GraphComponent {
  type: "header" | "body" | "button";
  sub_type?: string;
  /** Number of the button, from 0. */
  index?: string;
  parameters: object[];
}

/** Builds the `template` of a message from checked values. */
export function templateMessage(
  { name, language }: TemplateName,
  definition: TemplateDefinition,
  filled: FilledTemplate,
): GraphTemplate {
  const components = [
    ...headerComponent(definition, filled),
    ...textComponent("body", definition.format, filled.body),
    ...buttonComponents(definition, filled),
  ];
  const head = { name, language: { code: language } };
  return components.length === 0 ? head : { ...head, components };
}

function headerComponent(
  { header, format }: TemplateDefinition,
  { header: values }: FilledTemplate,
): GraphComponent[] {
  switch (header?.kind) {
    case undefined:
      return [];
    case "text":
      return textComponent("header", format, values);
    case "location": {
      const location = Object.fromEntries(values);
      return [{ type: "header", parameters: [{ type: "location", location }] }];
    }
    case "image":
    case "video":
    case "document": {
      const { kind } = header;
      const link = values.get(kind);
      // The file of the message takes its place.
      if (link === undefined) return [];
      const filename = kind === "document" ? fileNameOf(link) : null;
      const file = { link, ...(filename !== null && { filename }) };
      return [{ type: "header", parameters: [{ type: kind, [kind]: file }] }];
    }
  }
}

/** The template with a file that Meta has, as its heading. */
export function withHeaderFile(
  template: GraphTemplate,
  file: { kind: "image" | "video" | "document"; id: string; filename: string | null },
): GraphTemplate {
  const { kind, id, filename } = file;
  const named = kind === "document" && filename !== null;
  const content = { id, ...(named && { filename }) };
  const header: GraphComponent = {
    type: "header",
    parameters: [{ type: kind, [kind]: content }],
  };
  return { ...template, components: [header, ...(template.components ?? [])] };
}

/** Values in the order in which the template has their places, which the check has given them. */
function textComponent(
  type: "header" | "body",
  format: TemplateDefinition["format"],
  values: ReadonlyMap<string, string>,
): GraphComponent[] {
  if (values.size === 0) return [];
  const isNamed = format === "named";
  const parameters = Array.from(values, ([key, text]) => ({
    type: "text",
    ...(isNamed && { parameter_name: key }),
    text,
  }));
  return [{ type, parameters }];
}

function buttonComponents(
  { buttons }: TemplateDefinition,
  { buttons: values, body }: FilledTemplate,
): GraphComponent[] {
  return buttons.flatMap(({ kind }, place): GraphComponent[] => {
    const value = values.get(String(place + 1));
    const head = { type: "button", sub_type: kind, index: String(place) } as const;
    switch (kind) {
      case "url":
        return value === undefined
          ? []
          : [{ ...head, parameters: [{ type: "text", text: value }] }];
      case "otp": {
        const [code = ""] = body.values();
        const parameters = [{ type: "text", text: code }];
        return [{ ...head, sub_type: "url", parameters }];
      }
      case "copy_code":
        return [{ ...head, parameters: [{ type: "coupon_code", coupon_code: value ?? "" }] }];
      case "quick_reply":
        if (value === undefined) return [];
        return [{ ...head, parameters: [{ type: "payload", payload: value }] }];
      case "flow": {
        const action = { flow_token: value ?? "unused" };
        return [{ ...head, parameters: [{ type: "action", action }] }];
      }
      case "plain":
        return [];
    }
  });
}

/** WhatsApp shows "Untitled" for a document without a name. */
function fileNameOf(link: string): string | null {
  if (!URL.canParse(link)) return null;
  const last = new URL(link).pathname.split("/").at(-1) ?? "";
  try {
    const name = decodeURIComponent(last);
    return /^[^/\\\p{C}]{1,200}$/u.test(name) ? name : null;
  } catch {
    return null;
  }
}
