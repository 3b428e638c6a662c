import { z } from "zod";
import { isSiteOrigin, normalizeSiteOrigin } from "./site-origin.ts";
import { weeklyHours } from "./schedule.ts";
import { maxNameLength, recordId, timestamp, toWellFormed } from "./wire.ts";

/** Languages that the widget speaks. */
export const widgetLocales = ["en", "es", "pt"] as const;
export type WidgetLocale = (typeof widgetLocales)[number];

/** Use of signed identities. `required`: only a visitor with one can write. */
export const identityModes = ["off", "optional", "required"] as const;
export type IdentityMode = (typeof identityModes)[number];

/** Consent before a chat. `required`: nothing is stored until the visitor agrees. */
export const consentModes = ["none", "notice", "required"] as const;

/** Public key of a widget, in the address of its script: 26 base62 characters. */
export const widgetKey = /^[0-9A-Za-z]{26}$/u;

/** Origins of the sites that one widget may list. */
export const maxOrigins = 50;

const text = (max: number) =>
  z.string().trim().max(max, `Use at most ${max} characters.`).overwrite(toWellFormed);

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/u, "Use a colour such as #1d6f5c.")
  .overwrite((value) => value.toLowerCase());

const look = z.strictObject({
  accent: color.default("#1d6f5c"),
  theme: z.enum(["auto", "light", "dark"]).default("auto"),
  radius: z.int().min(0).max(24).default(16).describe("Pixels."),
  corner: z.enum(["left", "right"]).default("right"),
  font: z.enum(["system", "serif", "rounded", "mono"]).default("system"),
});

const greeting = z.strictObject({
  is_on: z.boolean().default(false),
  delay_seconds: z.int().min(0).max(600).default(5),
  pages: z
    .array(z.string().trim().min(1).max(200))
    .max(20)
    .default([])
    .describe("Paths such as /pricing or /blog/*. Empty: every page."),
});

const preChat = z.strictObject({
  is_on: z.boolean().default(false),
  name: z.enum(["off", "optional", "required"]).default("optional"),
  email: z.enum(["off", "optional", "required"]).default("optional"),
  phone: z.enum(["off", "optional", "required"]).default("off"),
});

/** Texts of a widget in one language. An empty text shows the widget's own words. */
const texts = z.strictObject({
  launcher: text(40).default(""),
  title: text(60).default(""),
  subtitle: text(120).default(""),
  greeting: text(300).default(""),
  reply_time: text(120).default(""),
  offline: text(200).default(""),
  consent: text(600).default(""),
});

/** Look, words and behaviour of a widget, each field with its default. */
export const widgetSettings = z.strictObject({
  look: look.prefault({}),
  greeting: greeting.prefault({}),
  pre_chat: preChat.prefault({}),
  texts: z
    .strictObject({ en: texts.prefault({}), es: texts.prefault({}), pt: texts.prefault({}) })
    .prefault({}),
  default_locale: z.enum(widgetLocales).default("en"),
  hours: weeklyHours.nullable().default(null).describe("When people answer. Null: always."),
  shows_hours: z.boolean().default(true),
  shows_reply_time: z.boolean().default(true),
  takes_files: z.boolean().default(true),
  booking_slug: z
    .string()
    .max(40)
    .nullable()
    .default(null)
    .describe("Booking link whose times the visitor can book. Null: none."),
  remembers: z
    .boolean()
    .default(true)
    .describe("A visitor who comes back within 90 days finds the conversation."),
  lets_visitor_erase: z.boolean().default(false),
  allows_null_origin: z
    .boolean()
    .default(false)
    .describe("Pages of apps without an origin, as in a web view, may show the widget."),
  consent: z.enum(consentModes).default("none"),
  privacy_url: z
    .url({ protocol: /^https$/u })
    .max(500)
    .nullable()
    .default(null),
});
export type WidgetSettings = z.output<typeof widgetSettings>;

const origins = z
  .array(
    z
      .string()
      .trim()
      .toLowerCase()
      .refine(isSiteOrigin, "Use https://shop.example or https://*.shop.example, without a path.")
      .overwrite(normalizeSiteOrigin),
  )
  .max(maxOrigins, `Give at most ${maxOrigins} origins.`)
  .overwrite((list) => [...new Set(list)])
  .describe("Sites that may show the widget. Empty: any site.");

const name = z
  .string()
  .trim()
  .min(1, "Use 1 character or more.")
  .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
  .overwrite(toWellFormed);

const fields = {
  name,
  allowed_origins: origins,
  identity_mode: z.enum(identityModes),
  bot_default: z.boolean().describe("The AI agent answers new conversations here."),
};

/** Body of POST /widgets. */
export const widgetBody = z.strictObject({
  name: fields.name,
  allowed_origins: fields.allowed_origins.default([]),
  identity_mode: fields.identity_mode.default("off"),
  bot_default: fields.bot_default.default(true),
  settings: widgetSettings.prefault({}),
});
export type WidgetBody = z.output<typeof widgetBody>;

/** Body of PATCH /widgets/:id. Absent fields stay; `settings` replaces all settings. */
export const widgetChangeBody = z.strictObject({
  name: fields.name.optional(),
  allowed_origins: fields.allowed_origins.optional(),
  identity_mode: fields.identity_mode.optional(),
  bot_default: fields.bot_default.optional(),
  settings: widgetSettings.optional(),
  identity_public_key: z
    .string()
    .trim()
    .max(2_000)
    .nullable()
    .optional()
    .describe("PEM of an ES256 key, which signs identities in place of the secret. Null: none."),
});
export type WidgetChangeBody = z.output<typeof widgetChangeBody>;

/** A widget of web chat, without its secret. */
export const widgetView = z.strictObject({
  id: recordId,
  channel_account_id: recordId,
  key: z.string().describe("Public; part of the address of the script."),
  name: z.string(),
  script_url: z.string(),
  allowed_origins: z.array(z.string()),
  identity_mode: z.enum(identityModes),
  identity_public_key: z.string().nullable(),
  bot_default: z.boolean(),
  settings: widgetSettings,
  seen_at: timestamp.nullable().describe("When a site last showed the widget."),
  seen_on: z.string().nullable().describe("Origin of that site."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type WidgetView = z.output<typeof widgetView>;

/** A new widget, or one with a new secret. The secret is shown this once. */
export const widgetWithSecretView = widgetView.extend({
  identity_secret: z.string().describe("Signs identities of visitors. It is not shown again."),
});
