import type { TemplatePlace } from "./template-params.ts";

/** Heading of a template: a text, a file, or a place on the map. */
export type TemplateHeader =
  | { kind: "text"; text: string }
  | { kind: "image" | "video" | "document" | "location" };

/**
 * A button of a template. `otp` repeats the code of the body. `plain` takes no value: a phone call,
 * a catalogue.
 */
export interface TemplateButton {
  kind: "url" | "otp" | "quick_reply" | "copy_code" | "flow" | "plain";
  text: string;
  /** Link of a `url` button, with `{{1}}` where it takes a value. */
  url: string | null;
}

/** A template in our words. */
export interface TemplateDefinition {
  format: "positional" | "named";
  header: TemplateHeader | null;
  body: string;
  footer: string | null;
  buttons: TemplateButton[];
  /** Examples with which the template was approved, by part and key. */
  examples: Partial<Record<TemplatePlace, Record<string, string>>>;
  /** Kind of a part that cannot be filled in here, such as `carousel`; null: all can. */
  unsupported: string | null;
}

/** Kinds of values. `link` is the https address of a file, `suffix` the end of a button's link. */
export const templateValueKinds = [
  "text",
  "link",
  "latitude",
  "longitude",
  "suffix",
  "code",
  "payload",
] as const;
export type TemplateValueKind = (typeof templateValueKinds)[number];

/** One value that a template takes. */
export interface TemplateSlot {
  place: TemplatePlace;
  /** Number or name in braces; the kind of a file; the number of a button, from 1. */
  key: string;
  kind: TemplateValueKind;
  required: boolean;
  example: string | null;
}

/** `{{1}}` or `{{name}}`, as templates write it. */
export const placeholder = /\{\{\s*(\w{1,64})\s*\}\}/gu;

/** All values that a template takes: header, body and buttons, each in order. */
export function listSlots(definition: TemplateDefinition): TemplateSlot[] {
  return [...headerSlots(definition), ...bodySlots(definition), ...buttonSlots(definition)];
}

function headerSlots(definition: TemplateDefinition): TemplateSlot[] {
  const { header } = definition;
  if (header === null) return [];
  const slot = slotsIn(definition, "header");
  switch (header.kind) {
    case "text":
      return keysIn(header.text).map((key) => slot(key, "text"));
    case "location":
      return [
        slot("latitude", "latitude"),
        slot("longitude", "longitude"),
        slot("name", "text", false),
        slot("address", "text", false),
      ];
    case "image":
    case "video":
    case "document":
      return [slot(header.kind, "link")];
  }
}

function bodySlots(definition: TemplateDefinition): TemplateSlot[] {
  const slot = slotsIn(definition, "body");
  return keysIn(definition.body).map((key) => slot(key, "text"));
}

function buttonSlots(definition: TemplateDefinition): TemplateSlot[] {
  const slot = slotsIn(definition, "buttons");
  return definition.buttons.flatMap(({ kind, url }, index) => {
    const key = String(index + 1);
    switch (kind) {
      case "url":
        return url !== null && keysIn(url).length > 0 ? [slot(key, "suffix")] : [];
      case "copy_code":
        return [slot(key, "code")];
      case "quick_reply":
      case "flow":
        return [slot(key, "payload", false)];
      case "otp":
      case "plain":
        return [];
    }
  });
}

function slotsIn({ examples }: TemplateDefinition, place: TemplatePlace) {
  return (key: string, kind: TemplateValueKind, required = true): TemplateSlot => {
    const known = examples[place] ?? {};
    const example = Object.hasOwn(known, key) ? (known[key] ?? null) : null;
    return { place, key, kind, required, example };
  };
}

/** Each placeholder once. Numbers come in their order, names as they stand in the text. */
function keysIn(text: string): string[] {
  const keys = [...new Set(Array.from(text.matchAll(placeholder), ([, key = ""]) => key))];
  const isNumbered = keys.every((key) => /^\d+$/u.test(key));
  return isNumbered ? keys.toSorted((one, other) => Number(one) - Number(other)) : keys;
}
