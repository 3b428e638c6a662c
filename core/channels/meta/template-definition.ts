import type { TemplateButton, TemplateDefinition, TemplateHeader } from "../../model/template.ts";
import { readFields, readList, readObjects, readText, type Fields } from "./read-json.ts";

type Format = TemplateDefinition["format"];
type Examples = TemplateDefinition["examples"];

/** Longer texts than Meta approves. What is cut here was never a template. */
const maxTextLength = 33_000;
const maxButtons = 20;

/**
 * A template by its components, as Meta's list writes them. Unknown components make it unsupported,
 * because a send without their values is refused.
 */
export function defineTemplate(components: unknown, format: Format): TemplateDefinition {
  const known: TemplateDefinition = {
    format,
    header: null,
    body: "",
    footer: null,
    buttons: [],
    examples: {},
    unsupported: null,
  };
  for (const component of readObjects(components)) addComponent(known, component, format);
  return known;
}

function addComponent(known: TemplateDefinition, component: Fields, format: Format): void {
  const type = wordOf(component["type"]);
  const text = cut(component["text"]);
  const example = readFields(component["example"]);
  switch (type) {
    case "header": {
      const header = readHeader(component, text);
      known.header = header;
      if (header === null) known.unsupported ??= `header ${wordOf(component["format"])}`;
      if (header?.kind === "text") {
        known.examples.header = readExamples(format, readList(example?.["header_text"]), [
          example?.["header_text_named_params"],
        ]);
      }
      return;
    }
    case "body": {
      known.body = text;
      const [first] = readList(example?.["body_text"]);
      known.examples.body = readExamples(format, readList(first), [
        example?.["body_text_named_params"],
      ]);
      return;
    }
    case "footer":
      known.footer = text === "" ? null : text;
      return;
    case "buttons":
      addButtons(known, readObjects(component["buttons"]).slice(0, maxButtons));
      return;
    case "call_permission_request":
      return;
    default:
      known.unsupported ??= type === "" ? "unknown" : type;
  }
}

function readHeader(component: Fields, text: string): TemplateHeader | null {
  const format = wordOf(component["format"]);
  switch (format) {
    case "":
    case "text":
      return { kind: "text", text };
    case "image":
    case "video":
    case "document":
    case "location":
      return { kind: format };
    default:
      return null;
  }
}

function addButtons(known: TemplateDefinition, buttons: readonly Fields[]): void {
  const examples: Record<string, string> = {};
  known.buttons = buttons.map((button, index) => {
    const { read, unsupported } = readButton(button);
    known.unsupported ??= unsupported;
    const example = button["example"];
    const [first] = readList(example);
    const words = readText(first) ?? readText(example);
    if (words !== null) examples[String(index + 1)] = words.slice(0, maxTextLength);
    return read;
  });
  known.examples.buttons = examples;
}

function readButton(button: Fields): { read: TemplateButton; unsupported: string | null } {
  const type = wordOf(button["type"]);
  const text = cut(button["text"]);
  const url = readText(button["url"]);
  const plain = { read: { kind: "plain", text, url: null } as const, unsupported: null };
  switch (type) {
    case "url":
      if (url !== null && /^https:\/\/(www\.)?whatsapp\.com\/otp\//u.test(url)) {
        return { read: { kind: "otp", text, url: null }, unsupported: null };
      }
      return { read: { kind: "url", text, url }, unsupported: null };
    case "otp":
      return { read: { kind: "otp", text, url: null }, unsupported: null };
    case "quick_reply":
    case "copy_code":
    case "flow":
      return { read: { kind: type, text, url: null }, unsupported: null };
    case "phone_number":
    case "voice_call":
    case "catalog":
      return plain;
    default:
      return { ...plain, unsupported: `button ${type}` };
  }
}

/** Examples by key: a list for numbers, a list of pairs for names. */
function readExamples(
  format: Format,
  listed: readonly unknown[],
  [named]: [unknown],
): NonNullable<Examples["body"]> {
  const pairs =
    format === "named"
      ? readObjects(named).map((one) => [readText(one["param_name"]), readText(one["example"])])
      : listed.map((one, index) => [String(index + 1), readText(one)]);
  return Object.fromEntries(
    pairs.flatMap(([key, one]) => (key && one ? [[key, one.slice(0, maxTextLength)]] : [])),
  );
}

function cut(value: unknown): string {
  return (readText(value) ?? "").slice(0, maxTextLength);
}

/** A word of Meta in lowercase; empty for anything else. */
function wordOf(value: unknown): string {
  return typeof value === "string" && /^\w{1,40}$/u.test(value) ? value.toLowerCase() : "";
}
