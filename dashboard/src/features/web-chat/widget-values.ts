import { useForm, type UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { hexColour } from "../../../../core/model/accent.ts";
import { isSiteOrigin, normalizeSiteOrigin } from "../../../../core/model/site-origin.ts";
import type { IdentityMode, WidgetSettings } from "../../../../core/model/widget.ts";
import type { BodyOf } from "../../lib/api.ts";
import { differenceOf } from "../../lib/difference.ts";
import { fieldErrors } from "../../lib/error-text.ts";
import { useRebase } from "../../lib/use-rebase.ts";
import type { Widget } from "../../lib/widgets.ts";

/** Values of the form of a widget. Lists are texts with one entry a line. */
export interface WidgetValues {
  name: string;
  bot_default: boolean;
  origins: string;
  identity_mode: IdentityMode;
  /** PEM; empty for none. */
  public_key: string;
  /** Pages of the greeting. */
  pages: string;
  settings: Omit<WidgetSettings, "privacy_url"> & { privacy_url: string };
}

/** The form, for the parts of the page. */
export interface FieldsProps {
  form: UseFormReturnType<WidgetValues>;
}

/** Values of the form for a stored widget. */
export function valuesOf(widget: Widget): WidgetValues {
  const { settings } = widget;
  return {
    name: widget.name,
    bot_default: widget.bot_default,
    origins: widget.allowed_origins.join("\n"),
    identity_mode: widget.identity_mode,
    public_key: widget.identity_public_key ?? "",
    pages: settings.greeting.pages.join("\n"),
    settings: { ...settings, privacy_url: settings.privacy_url ?? "" },
  };
}

/** All fields of a widget, as the API takes them. */
export function bodyOf({ settings, ...values }: WidgetValues) {
  const privacyUrl = settings.privacy_url.trim();
  return {
    name: values.name,
    bot_default: values.bot_default,
    allowed_origins: readOrigins(values.origins),
    identity_mode: values.identity_mode,
    identity_public_key: values.public_key.trim() === "" ? null : values.public_key,
    settings: {
      ...settings,
      look: { ...settings.look, accent: settings.look.accent.toLowerCase() },
      greeting: { ...settings.greeting, pages: linesOf(values.pages) },
      privacy_url: privacyUrl === "" ? null : privacyUrl,
    },
  };
}

/** The fields that differ, so that a colleague's change of another field stays. */
export function changeOf(after: WidgetValues, before: WidgetValues): BodyOf<"PATCH /widgets/:id"> {
  return differenceOf(bodyOf(after), bodyOf(before));
}

/**
 * Origins of a text with one site a line. A site that was pasted as a whole address is cut to its
 * origin.
 */
export function readOrigins(text: string): string[] {
  return [...new Set(linesOf(text).map(tidyOrigin))];
}

function tidyOrigin(line: string): string {
  const whole = line.includes("://") ? line : `https://${line}`;
  const [origin = whole] = /^[a-z]+:\/\/[^/?#]*/iu.exec(whole) ?? [];
  return normalizeSiteOrigin(origin.toLowerCase());
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/u)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * The form of a widget, with the checks that need no server. Changes that a colleague saves
 * meanwhile appear in untouched fields, because the server replaces all settings at once.
 */
export function useWidgetForm(widget: Widget) {
  const check = useChecks();
  const form = useForm<WidgetValues>({
    initialValues: valuesOf(widget),
    validateInputOnBlur: true,
    validate: {
      name: check.name,
      origins: check.origins,
      settings: { look: { accent: check.accent }, privacy_url: check.privacyUrl },
    },
  });
  useRebase(form, valuesOf(widget));
  return form;
}

function useChecks() {
  const { t } = useTranslation();
  return {
    name: (value: string) => (value.trim() === "" ? t("web_chat.name_needed") : null),
    origins: (value: string) => {
      const wrong = readOrigins(value).find((origin) => !isSiteOrigin(origin));
      return wrong === undefined ? null : t("web_chat.bad_origin", { origin: wrong });
    },
    accent: (value: string) =>
      hexColour.test(value.toLowerCase()) ? null : t("web_chat.bad_colour"),
    privacyUrl: (value: string) =>
      value.trim() === "" || /^https:\/\/\S+$/u.test(value.trim())
        ? null
        : t("web_chat.bad_privacy_url"),
  };
}

/** Fields of the form by the API's names. */
const fieldNames: Record<string, string> = {
  allowed_origins: "origins",
  identity_public_key: "public_key",
};

/** Error message per field of the form, of a refusal of the API. */
export function formErrors(error: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldErrors(error)).map(([path, message]) => {
      const [first = ""] = path.split(".");
      if (path.startsWith("settings.greeting.pages")) return ["pages", message];
      return [fieldNames[first] ?? path, message];
    }),
  );
}
