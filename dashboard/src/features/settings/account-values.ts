import { useForm } from "@mantine/form";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { AccountPatchBody, AccountView } from "../../../../core/model/account.ts";
import { maxHandoffMinutes, maxReturnHours } from "../../../../core/model/handoff.ts";

/** What the form holds: number inputs that are empty hold "". */
export interface AccountValues {
  name: string;
  time_zone: string;
  locale: "en" | "es";
  pause_on_human_reply: boolean;
  handoff_remind_minutes: number | string;
  handoff_escalate_minutes: number | string;
  handoff_return_hours: number | string;
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
    },
  });
  const { setInitialValues, setValues, isDirty } = form;
  useEffect(() => {
    const changing = fields.filter((field) => isDirty(field));
    setInitialValues(valuesOf(account));
    setValues((typed) => ({
      ...valuesOf(account),
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
  };
}

/** The account as the form holds it. */
export function valuesOf({ name, time_zone, locale, settings }: AccountView): AccountValues {
  return {
    name,
    time_zone,
    locale: locale === "es" ? "es" : "en",
    pause_on_human_reply: settings.pause_on_human_reply,
    handoff_remind_minutes: settings.handoff_remind_minutes,
    handoff_escalate_minutes: settings.handoff_escalate_minutes,
    handoff_return_hours: settings.handoff_return_hours ?? "",
  };
}

const ownFields = ["name", "time_zone", "locale"] as const;
const settingFields = [
  "pause_on_human_reply",
  "handoff_remind_minutes",
  "handoff_escalate_minutes",
  "handoff_return_hours",
] as const;
const fields = [...ownFields, ...settingFields];

/** Only what was changed, so that two who change different things at once both do. */
export function changeOf(
  values: AccountValues,
  isDirty: (field: keyof AccountValues) => boolean,
): AccountPatchBody {
  const pick = (fields: readonly (keyof AccountValues)[]) =>
    Object.fromEntries(
      fields.filter(isDirty).map((field) => [field, values[field] === "" ? null : values[field]]),
    );
  const settings = pick(settingFields);
  return { ...pick(ownFields), ...(Object.keys(settings).length === 0 ? {} : { settings }) };
}
