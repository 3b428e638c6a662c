import { useForm, type UseFormReturnType } from "@mantine/form";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { restChannels, type RestChannel } from "../../../../core/model/channels.ts";
import type { AgentMode } from "../../../../core/model/agent.ts";
import type { WeeklyHours } from "../../../../core/model/schedule.ts";
import { differenceOf, keysOf } from "../../lib/difference.ts";
import type { AgentDraft } from "./api.ts";

/** Values of the form. An empty number input is "". */
export interface DraftValues {
  persona: AgentDraft["persona"];
  modes: Record<RestChannel, AgentMode>;
  tools: string[];
  allowed_stage_ids: string[];
  strict: boolean;
  blocked_words: string[];
  handover_keywords: string[];
  handover_tags: string[];
  attachments: AgentDraft["attachments"];
  team_hours: WeeklyHours | null;
  quiet_seconds: number | string;
  /** Budgets in units of the account's currency. */
  daily_budget: number | string;
  monthly_budget: number | string;
}

/** Props of the parts of the form. With `readOnly` they show the values only. */
export interface DraftFieldsProps {
  form: UseFormReturnType<DraftValues>;
  readOnly: boolean;
}

const millionth = 1_000_000;

/** The draft as values of the form. */
export function valuesOf(draft: AgentDraft): DraftValues {
  const { daily_budget_micros: daily, monthly_budget_micros: monthly, ...rest } = draft;
  const modes = restChannels.map((channel) => [channel, draft.modes[channel] ?? "auto"] as const);
  return {
    ...rest,
    modes: Object.fromEntries(modes) as DraftValues["modes"],
    allowed_stage_ids: draft.allowed_stage_ids.map(String),
    daily_budget: daily === null ? "" : daily / millionth,
    monthly_budget: monthly === null ? "" : monthly / millionth,
  };
}

function bodyOf(values: DraftValues) {
  const { daily_budget: daily, monthly_budget: monthly, ...rest } = values;
  return {
    ...rest,
    allowed_stage_ids: values.allowed_stage_ids.map(Number),
    daily_budget_micros: microsOf(daily),
    monthly_budget_micros: microsOf(monthly),
  };
}

function microsOf(units: number | string): number | null {
  return units === "" ? null : Math.round(Number(units) * millionth);
}

/** Only the changed settings, so that two members can change different ones at once. */
export function changeOf(values: DraftValues, saved: DraftValues): Partial<AgentDraft> {
  return differenceOf(bodyOf(values), bodyOf(saved)) as Partial<AgentDraft>;
}

/** Fields by their path. Each field of the persona and each mode is a setting of its own. */
function fieldsOf({ persona, modes, ...rest }: DraftValues): Record<string, unknown> {
  const below = (path: string, part: object) =>
    Object.entries(part).map(([name, value]) => [`${path}.${name}`, value] as const);
  return Object.fromEntries([
    ...Object.entries(rest),
    ...below("persona", persona),
    ...below("modes", modes),
  ]);
}

/** Paths of the fields that both a person and a colleague have changed. */
function crossedFields(typed: DraftValues, before: DraftValues, saved: DraftValues): string[] {
  const mine = differenceOf(fieldsOf(typed), fieldsOf(before));
  const theirs = differenceOf(fieldsOf(saved), fieldsOf(before));
  const still = differenceOf(fieldsOf(saved), fieldsOf(typed));
  return keysOf(still).filter((path) => path in mine && path in theirs);
}

/**
 * The draft's form. Changes that a colleague saves meanwhile appear in untouched fields. A field
 * that both have changed keeps the typed text, with a note.
 * @param isSaving then the new draft holds the person's own changes.
 */
export function useDraftForm(draft: AgentDraft, isSaving: boolean) {
  const { t } = useTranslation();
  const form = useForm<DraftValues>({ initialValues: valuesOf(draft) });
  const { setInitialValues, setValues, setErrors, getValues, getInitialValues } = form;
  useEffect(() => {
    const saved = valuesOf(draft);
    const typed = getValues();
    const before = getInitialValues();
    setInitialValues(saved);
    setValues({
      ...saved,
      ...differenceOf(typed, before),
      persona: { ...saved.persona, ...differenceOf(typed.persona, before.persona) },
      modes: { ...saved.modes, ...differenceOf(typed.modes, before.modes) },
    });
    const crossed = isSaving ? [] : crossedFields(typed, before, saved);
    if (crossed.length > 0) {
      const notes = crossed.map((path) => [path, t("agent.crossed")]);
      setErrors({ ...Object.fromEntries(notes), form: t("error.draft_changed") });
    }
    // Runs on a new draft from the server only. The functions of the form change with each
    // keystroke.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [draft]);
  return form;
}
