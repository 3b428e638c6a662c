import { useForm, type UseFormReturnType } from "@mantine/form";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { AccountPatchBody, AccountView } from "../../../../core/model/account.ts";
import { hexColour } from "../../../../core/model/accent.ts";
import { maxHandoffMinutes, maxReturnHours } from "../../../../core/model/workflow/handoff.ts";
import { findUnknownPlaceholder, maxReminderHours } from "../../../../core/model/reminder.ts";
import type { Locale } from "../../../../core/model/user.ts";
import { differenceOf, keysOf } from "../../lib/difference.ts";
import { languageOf, templateLanguages } from "../../lib/i18n.ts";

/** Values of the form. An empty number input is "". */
export interface AccountValues {
  name: string;
  time_zone: string;
  locale: Locale;
  pause_on_human_reply: boolean;
  handoff_remind_minutes: number | string;
  handoff_escalate_minutes: number | string;
  handoff_return_hours: number | string;
  currency: string;
  booking_stage_id: string | null;
  reminder_hours_before: number | string;
  /** Empty for the default text. */
  reminder_text: string;
  /** An empty name means no template. */
  reminder_template: { name: string; language: string };
  /** Empty for the account's name. */
  booking_name: string;
  /** As `#0d6e68`; empty for the accent of Parley. */
  booking_accent: string;
  booking_address: string;
}

/** Props of the parts of the form. With `readOnly` they show the values only. */
export interface FieldsProps {
  form: UseFormReturnType<AccountValues>;
  readOnly: boolean;
}

/** The account's form. Changes that a colleague saves meanwhile appear in untouched fields. */
export function useAccountForm(account: AccountView) {
  const check = useChecks();
  const form = useForm<AccountValues>({
    initialValues: valuesOf(account),
    validateInputOnBlur: true,
    validate: {
      name: check.name,
      handoff_remind_minutes: check.within(maxHandoffMinutes),
      handoff_escalate_minutes: check.within(maxHandoffMinutes),
      handoff_return_hours: (value) => (value === "" ? null : check.within(maxReturnHours)(value)),
      reminder_hours_before: (value) =>
        value === "" ? null : check.within(maxReminderHours)(value),
      // Without hours the text is hidden, and so is an error of it.
      reminder_text: (text, { reminder_hours_before: hours }) =>
        hours === "" ? null : check.reminder(text),
      booking_accent: check.colour,
    },
  });
  const { setInitialValues, setValues, isDirty } = form;
  useEffect(() => {
    const saved = valuesOf(account);
    const changing = keysOf(saved).filter((field) => isDirty(field));
    setInitialValues(saved);
    setValues((typed) => ({
      ...saved,
      ...Object.fromEntries(changing.map((field) => [field, typed[field]])),
    }));
    // Runs on a new account from the server only. The functions of the form change with each
    // keystroke.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [account]);
  return form;
}

function useChecks() {
  const { t, i18n } = useTranslation();
  return {
    name: (value: string) => (value.trim() === "" ? t("settings.name_needed") : null),
    within: (max: number) => (value: number | string) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max
        ? null
        : t("settings.whole_number", { max: max.toLocaleString(i18n.language) }),
    colour: (text: string) =>
      text.trim() === "" || hexColour.test(text.trim().toLowerCase())
        ? null
        : t("settings.booking_accent_invalid"),
    reminder: (text: string) => {
      const unknown = findUnknownPlaceholder(text);
      return unknown === undefined
        ? null
        : t("settings.unknown_placeholder", { braced: `{${unknown}}` });
    },
  };
}

/** The account as values of the form. */
export function valuesOf({ name, time_zone, locale, settings }: AccountView): AccountValues {
  const stage = settings.booking_stage_id;
  const language = languageOf(locale);
  return {
    name,
    time_zone,
    locale: language,
    pause_on_human_reply: settings.pause_on_human_reply,
    handoff_remind_minutes: settings.handoff_remind_minutes,
    handoff_escalate_minutes: settings.handoff_escalate_minutes,
    handoff_return_hours: settings.handoff_return_hours ?? "",
    currency: settings.currency,
    booking_stage_id: stage === null ? null : String(stage),
    reminder_hours_before: settings.reminder_hours_before ?? "",
    reminder_text: settings.reminder_text ?? "",
    reminder_template: settings.reminder_template ?? {
      name: "",
      language: templateLanguages[language],
    },
    booking_name: settings.booking_name ?? "",
    booking_accent: settings.booking_accent ?? "",
    booking_address: settings.booking_address ?? "",
  };
}

/** The values of the form in the shape of the API. */
function bodyOf(values: AccountValues) {
  const { name, time_zone, locale, ...settings } = values;
  const { booking_stage_id: stage, reminder_text: text, reminder_template: template } = settings;
  return {
    own: { name, time_zone, locale },
    settings: {
      ...settings,
      handoff_return_hours: orNull(settings.handoff_return_hours),
      booking_stage_id: stage === null ? null : Number(stage),
      reminder_hours_before: orNull(settings.reminder_hours_before),
      reminder_text: text.trim() === "" ? null : text,
      reminder_template: template.name.trim() === "" ? null : template,
      booking_name: textOrNull(settings.booking_name),
      booking_accent: textOrNull(settings.booking_accent),
      booking_address: textOrNull(settings.booking_address),
    },
  };
}

const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());
const orNull = (value: number | string): number | string | null => (value === "" ? null : value);

/**
 * Without hours, text and template of the reminder are hidden and may be invalid. They stay as
 * saved, unless they were emptied.
 */
function withoutHidden(values: AccountValues, saved: AccountValues): AccountValues {
  const { reminder_hours_before: hours, reminder_text: text, reminder_template: template } = values;
  if (hours !== "") return values;
  return {
    ...values,
    reminder_text: text.trim() === "" ? text : saved.reminder_text,
    reminder_template: template.name.trim() === "" ? template : saved.reminder_template,
  };
}

/** Only the changed fields, so that two members can change different fields at once. */
export function changeOf(values: AccountValues, saved: AccountValues): AccountPatchBody {
  const [after, before] = [bodyOf(withoutHidden(values, saved)), bodyOf(saved)];
  const settings = differenceOf(after.settings, before.settings);
  return {
    ...differenceOf(after.own, before.own),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  } as AccountPatchBody;
}
