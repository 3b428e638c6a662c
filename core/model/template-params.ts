import { z } from "zod";
import { toWellFormed } from "./wire.ts";

/** Parts of a template that take values. */
export const templatePlaces = ["header", "body", "buttons"] as const;
export type TemplatePlace = (typeof templatePlaces)[number];

/** Values of one template at most, in each part. */
const maxValues = 50;

const value = z.string().max(1_024, "Use at most 1024 characters.").overwrite(toWellFormed);

const listed = z.array(value).max(maxValues, `Use at most ${maxValues} values.`);
const named = z
  .record(z.string().regex(/^\w{1,64}$/u, "Use a number or a name of the template."), value)
  .refine((values) => Object.keys(values).length <= maxValues, `Use at most ${maxValues} values.`);

/** Values of one part: in order, or by number or name. */
export type TemplateValues = string[] | Record<string, string>;

/** Values of a template: those of the body in order, or the values of each part. */
export type TemplateParams = string[] | Partial<Record<TemplatePlace, TemplateValues>>;

const values = z.union([listed, named]);

/** A list holds the values of the body in order. An object holds the values of each part. */
export const templateParams = z.union([
  listed,
  z.strictObject({
    header: values.optional(),
    body: values.optional(),
    buttons: values.optional().describe("Numbered from 1 among all buttons of the template."),
  }),
]);
