import type { MetaRefusal } from "./meta-scripts.ts";
import type { MetaComponent, MetaTemplate } from "./meta-templates.ts";

/** The `template` of a send. */
export interface SentTemplate {
  name: string;
  language: { code: string };
  components?: SentComponent[] | undefined;
}

interface SentComponent {
  type: "header" | "body" | "button";
  sub_type?: string | undefined;
  index?: string | number | undefined;
  parameters: { type: string; [more: string]: unknown }[];
}

/** Reason for which Meta refuses a send of a template, or null. */
export function judgeTemplateSend(
  templates: readonly MetaTemplate[],
  sent: SentTemplate,
): MetaRefusal | null {
  const { name, language } = sent;
  const template = templates.find((one) => one.name === name && one.language === language.code);
  const words = `template name (${name}) does not exist in ${language.code}`;
  if (template === undefined) return refuse(132_001, words, 404);
  switch (template.status) {
    case "APPROVED":
      return judgeParameters(template, sent.components ?? []);
    case "PAUSED":
      return refuse(132_015, "Template is Paused");
    case "DISABLED":
      return refuse(132_016, "Template is Disabled");
    default:
      return refuse(132_001, words, 404);
  }
}

/** Each part has as many parameters as places, of the kinds of the template. */
function judgeParameters(
  { components, parameter_format: format = "POSITIONAL" }: MetaTemplate,
  sent: readonly SentComponent[],
): MetaRefusal | null {
  const isNamed = format === "NAMED";
  const find = (type: string) => components.find((one) => one.type === type);
  const header = judgeHeader(find("HEADER"), partOf(sent, "header"), isNamed);
  return (
    header ??
    judgeTexts("body", find("BODY")?.text ?? "", partOf(sent, "body"), isNamed) ??
    judgeButtons(find("BUTTONS")?.buttons ?? [], sent)
  );
}

function partOf(sent: readonly SentComponent[], type: SentComponent["type"]) {
  return sent.filter((one) => one.type === type).flatMap(({ parameters }) => parameters);
}

type Parameters = SentComponent["parameters"];

function judgeHeader(
  header: MetaComponent | undefined,
  parameters: Parameters,
  isNamed: boolean,
): MetaRefusal | null {
  const format = header?.format ?? "TEXT";
  if (format === "TEXT") return judgeTexts("header", header?.text ?? "", parameters, isNamed);
  const [only] = parameters;
  const type = format.toLowerCase();
  const content = parameters.length === 1 && only?.type === type ? Object(only[type]) : null;
  // A file has an address, or the id of an upload.
  const hasOneSource = type === "location" || (content && "link" in content !== "id" in content);
  if (content !== null && hasOneSource) return null;
  return refuse(132_012, `header: Format mismatch, expected ${format}, received ${only?.type}`);
}

function judgeTexts(
  part: string,
  text: string,
  parameters: Parameters,
  isNamed: boolean,
): MetaRefusal | null {
  const keys = [...new Set(Array.from(text.matchAll(/\{\{(\w+)\}\}/gu), ([, key]) => key))];
  if (keys.length !== parameters.length) {
    const words = `${part}: number of localizable_params (${parameters.length}) does not match the expected number of params (${keys.length})`;
    return refuse(132_000, words);
  }
  for (const { type, text: value, parameter_name: name } of parameters) {
    if (type !== "text" || typeof value !== "string" || value.trim() === "") {
      return refuse(132_012, `${part}: Parameter format does not match`);
    }
    if (/[\n\t]| {5}/u.test(value)) {
      const words = "cannot have new-line/tab characters or more than 4 consecutive spaces";
      return refuse(132_018, `${part}: Param text ${words}`);
    }
    if (isNamed !== keys.includes(String(name))) {
      return refuse(132_012, `${part}: Parameter name is missing or unknown`);
    }
  }
  return null;
}

const parameterOfButton: Readonly<Record<string, { subType: string; type: string }>> = {
  URL: { subType: "url", type: "text" },
  QUICK_REPLY: { subType: "quick_reply", type: "payload" },
  COPY_CODE: { subType: "copy_code", type: "coupon_code" },
  FLOW: { subType: "flow", type: "action" },
};

function judgeButtons(
  buttons: NonNullable<MetaComponent["buttons"]>,
  sent: readonly SentComponent[],
): MetaRefusal | null {
  const given = sent.filter(({ type }) => type === "button");
  for (const { index, sub_type: subType, parameters } of given) {
    const button = buttons[Number(index)];
    const wanted = parameterOfButton[button?.type ?? ""];
    const fits = wanted?.subType === subType && parameters[0]?.type === wanted?.type;
    const takes = button?.type !== "URL" || (button.url ?? "").includes("{{");
    if (!fits || !takes) return refuse(132_018, `buttons: Button at index ${index} does not fit`);
  }
  const missing = buttons.findIndex(
    ({ type, url = "" }, index) =>
      (type === "COPY_CODE" || (type === "URL" && url.includes("{{"))) &&
      !given.some((one) => Number(one.index) === index),
  );
  if (missing === -1) return null;
  return refuse(131_008, `buttons: Button at index ${missing} of type Url requires a parameter`);
}

function refuse(code: number, message: string, http = 400): MetaRefusal {
  return { http, code, message: `(#${code}) ${message}` };
}
