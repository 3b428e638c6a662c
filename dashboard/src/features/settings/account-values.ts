import { useForm } from "@mantine/form";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { AccountPatchBody, AccountView } from "../../../../core/model/account.ts";
import { maxHandoffMinutes, maxReturnHours } from "../../../../core/model/workflow/handoff.ts";
import { findUnknownPlaceholder, maxReminderHours } from "../../../../core/model/reminder.ts";
import { languageOf, templateLanguages } from "../../lib/i18n.ts";

/** What the form holds: number inputs that are empty hold "". */
export interface AccountValues {
  name: string;
  time_zone: string;
  locale: "en" | "es";
  pause_on_human_reply: boolean;
  handoff_remind_minutes: number | string;
  handoff_escalate_minutes: number | string;
  handoff_return_hours: number | string;
  booking_stage_id: string | null;
  reminder_hours_before: number | string;
  /** Empty: our words. */
  reminder_text: string;
  /** Without a name there is none. */
  reminder_template: { name: string; language: string };
}

/** The account's form. What a colleague saves meanwhile comes into the fields that are not being changed. */
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
      reminder_text: check.reminder,
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
    // Only what the server has counts as a reason; the form's functions are new at each keystroke.
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
    reminder: (text: string) => {
      const unknown = findUnknownPlaceholder(text);
      return unknown === undefined
        ? null
        : t("settings.unknown_placeholder", { braced: `{${unknown}}` });
    },
  };
}

/** The account as the form holds it. */
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
    booking_stage_id: stage === null ? null : String(stage),
    reminder_hours_before: settings.reminder_hours_before ?? "",
    reminder_text: settings.reminder_text ?? "",
    reminder_template: settings.reminder_template ?? {
      name: "",
      language: templateLanguages[language],
    },
  };
}

/** What the form's values say to the server. */
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
    },
  };
}

const orNull = (value: number | string): number | string | null => (value === "" ? null : value);

/** Only what was changed, so that two who change different things at once both do. */
export function changeOf(values: AccountValues, saved: AccountValues): AccountPatchBody {
  const [after, before] = [bodyOf(values), bodyOf(saved)];
  const settings = differenceOf(after.settings, before.settings);
  return {
    ...differenceOf(after.own, before.own),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  } as AccountPatchBody;
}

/** The members that are not as they were. */
export function differenceOf<Body extends object>(after: Body, before: Body): Partial<Body> {
  const changed = keysOf(after).filter(
    (key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, after[key]])) as Partial<Body>;
}

const keysOf = <Body extends object>(body: Body) => Object.keys(body) as (keyof Body & string)[];
