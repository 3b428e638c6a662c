import type { AttachmentKind } from "./attachment.ts";
import { listSlots, type TemplateDefinition, type TemplateSlot } from "./template.ts";
import {
  templatePlaces,
  type TemplateParams,
  type TemplatePlace,
  type TemplateValues,
} from "./template-params.ts";

/** Checked values by part and key. An optional value may be missing. */
export type FilledTemplate = Record<TemplatePlace, ReadonlyMap<string, string>>;

/** A value that is missing, that no place takes, or that WhatsApp would refuse. */
export interface TemplateProblem {
  /** Part and key below `params`, such as `body.2`. */
  path: string;
  code: "required" | "unknown" | "count" | "invalid";
  message: string;
}

/** Either the values in their places, or everything that is wrong with them. */
export type TemplateCheck =
  | { ok: true; filled: FilledTemplate }
  | { ok: false; problems: TemplateProblem[] };

/**
 * Puts the values of a message into the places of a template, and checks each.
 * @param file kind of a file that comes with the message, in place of the address of the heading
 */
export function fillTemplate(
  definition: TemplateDefinition,
  params: TemplateParams,
  file: AttachmentKind | null = null,
): TemplateCheck {
  const given = Array.isArray(params) ? { body: params } : params;
  const problems: TemplateProblem[] = file === null ? [] : judgeFile(definition, file);
  const slots = listSlots(definition).filter(({ kind }) => file === null || kind !== "link");
  const fill = (place: TemplatePlace) => {
    const own = slots.filter((slot) => slot.place === place);
    const values = placeValues(place, own, given[place] ?? [], problems);
    for (const slot of own) judge(slot, values.get(slot.key), problems);
    return values;
  };
  const filled = { header: fill("header"), body: fill("body"), buttons: fill("buttons") };
  return problems.length === 0 ? { ok: true, filled } : { ok: false, problems };
}

function judgeFile({ header }: TemplateDefinition, file: AttachmentKind): TemplateProblem[] {
  switch (header?.kind) {
    case "image":
    case "video":
    case "document": {
      if (header.kind === file) return [];
      const message = `The heading takes a file of the kind ${header.kind}, not ${file}.`;
      return [{ path: `header.${header.kind}`, code: "invalid", message }];
    }
    case undefined:
    case "text":
    case "location":
      return [{ path: "header", code: "unknown", message: "The template has no file." }];
  }
}

/** Values by key, in the order of the places. A list fills the required places. */
function placeValues(
  place: TemplatePlace,
  slots: readonly TemplateSlot[],
  values: TemplateValues,
  problems: TemplateProblem[],
): Map<string, string> {
  if (Array.isArray(values)) {
    const required = slots.filter((slot) => slot.required);
    if (values.length > required.length) {
      const message = `The ${place} takes ${required.length} values, not ${values.length}.`;
      problems.push({ path: place, code: "count", message });
    }
    const pairs = required.map(({ key }, index) => [key, values[index]] as const);
    return new Map(pairs.flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])));
  }
  const known = new Set(slots.map(({ key }) => key));
  for (const key of Object.keys(values).filter((one) => !known.has(one))) {
    const message = `The ${place} has no place for this value.`;
    problems.push({ path: `${place}.${key}`, code: "unknown", message });
  }
  const pairs = slots.flatMap(({ key }) => {
    const one = Object.hasOwn(values, key) ? values[key] : undefined;
    return one === undefined ? [] : [[key, one] as const];
  });
  return new Map(pairs);
}

function judge(slot: TemplateSlot, value: string | undefined, problems: TemplateProblem[]): void {
  const path = `${slot.place}.${slot.key}`;
  if (value === undefined) {
    if (slot.required) problems.push({ path, code: "required", message: "This value is missing." });
    return;
  }
  const message = findFault(slot, value);
  if (message !== null) problems.push({ path, code: "invalid", message });
}

const maxHeaderLength = 60;

/** Reason why WhatsApp would refuse the value, or null. */
function findFault({ place, kind }: TemplateSlot, value: string): string | null {
  if (value.trim() === "") return "Use more than blanks.";
  switch (kind) {
    case "text":
      if (/[\n\r\t]| {5}/u.test(value)) {
        return "WhatsApp takes no line break, no tab and no 5 blanks in a row here.";
      }
      return place === "header" && value.length > maxHeaderLength
        ? `Use at most ${maxHeaderLength} characters.`
        : null;
    case "link":
      return isHttps(value) ? null : "Use an https URL.";
    case "latitude":
      return isWithin(value, 90) ? null : "Use a number from -90 to 90.";
    case "longitude":
      return isWithin(value, 180) ? null : "Use a number from -180 to 180.";
    case "suffix":
    case "code":
      return /\s/u.test(value) ? "Use no blanks." : null;
    case "payload":
      return null;
  }
}

function isHttps(value: string): boolean {
  return URL.canParse(value) && new URL(value).protocol === "https:";
}

function isWithin(value: string, bound: number): boolean {
  return /^-?\d{1,3}(?:\.\d+)?$/u.test(value) && Math.abs(Number(value)) <= bound;
}

/** The places of a template in a sentence: `body 1, 2; buttons 1 (suffix)`. */
export function describeSlots(slots: readonly TemplateSlot[]): string {
  const parts = templatePlaces.flatMap((place) => {
    const own = slots.filter((slot) => slot.place === place);
    if (own.length === 0) return [];
    const keys = own.map(({ key, kind, required }) => {
      const notes = [...(kind === "text" ? [] : [kind]), ...(required ? [] : ["optional"])];
      return notes.length === 0 ? key : `${key} (${notes.join(", ")})`;
    });
    return [`${place} ${keys.join(", ")}`];
  });
  return parts.length === 0 ? "no values" : parts.join("; ");
}
