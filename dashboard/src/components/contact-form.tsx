import { Alert, Stack, TextInput } from "@mantine/core";
import { useState, type ChangeEvent } from "react";
import { useTranslation } from "react-i18next";
import { useChangeContact, type ContactCard, type ContactChange } from "../lib/contact.ts";
import { fieldErrors } from "../lib/error-text.ts";
import { tellDone, tellFailure } from "../lib/notify.ts";
import { SaveBar } from "./form-foot.tsx";

const fields = ["name", "phone", "email"] as const;
type Field = (typeof fields)[number];

/** Text that somebody has typed into a field, and the stored value when they began. */
interface Edit {
  text: string;
  before: string;
}
type Edits = Partial<Record<Field, Edit>>;

/**
 * Form for name, phone and email of a contact. A change by somebody else appears in untouched
 * fields. An unsaved text stays, with a warning.
 */
export function ContactForm({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const { stored, edits, errors, edit, forget, save, pending } = useContactEdits(card);
  const labels = { name: t("common.name"), phone: t("contact.phone"), email: t("common.email") };
  const changed = fields.filter((field) => edits[field] !== undefined);
  const crossed = changed.filter((field) => edits[field]?.before !== stored[field]);
  const inputProps = (field: Field) => ({
    label: labels[field],
    value: edits[field]?.text ?? stored[field],
    error: errors[field],
    onChange: (event: ChangeEvent<HTMLInputElement>) => edit(field, event.currentTarget.value),
  });
  return (
    <form
      // The Save button has the keyboard focus and disappears after a save. Then the form takes the
      // focus.
      tabIndex={-1}
      aria-label={t("contact.title")}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="xs">
        <TextInput
          placeholder={card.has_name ? "" : card.name}
          maxLength={200}
          dir="auto"
          {...inputProps("name")}
        />
        <TextInput type="tel" {...inputProps("phone")} />
        <TextInput type="email" {...inputProps("email")} />
        {crossed.map((field) => (
          <Alert key={field} color="warn" p="xs" role="status">
            {t("contact.changed_meanwhile", { field: labels[field], value: stored[field] || "–" })}
          </Alert>
        ))}
        {changed.length > 0 && <SaveBar changed error={null} pending={pending} onReset={forget} />}
      </Stack>
    </form>
  );
}

function useContactEdits(card: ContactCard) {
  const { t } = useTranslation();
  const change = useChangeContact(card.id);
  const [edits, setEdits] = useState<Edits>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const stored: Record<Field, string> = {
    name: card.has_name ? card.name : "",
    phone: card.phone ?? "",
    email: card.email ?? "",
  };
  const edit = (field: Field, text: string): void => {
    const { [field]: begun, ...others } = edits;
    const before = begun?.before ?? stored[field];
    setEdits(text === stored[field] ? others : { ...others, [field]: { text, before } });
  };
  const forget = (): void => {
    setEdits({});
    setErrors({});
  };
  const save = async (): Promise<void> => {
    setErrors({});
    try {
      await change.mutateAsync(changesOf(edits));
      // Text that was typed during the save is not saved yet.
      setEdits((now) => withoutSaved(now, edits));
      tellDone(t("common.saved"));
    } catch (error) {
      const wrong = fieldErrors(error);
      if (Object.keys(wrong).length > 0) setErrors(wrong);
      else tellFailure(t("contact.not_saved"), error);
    }
  };
  return { stored, edits, errors, edit, forget, save, pending: change.isPending };
}

/** Only the changed fields; an emptied field is cleared with null. */
function changesOf(edits: Edits): ContactChange {
  const changed = fields.flatMap((field) => {
    const text = edits[field]?.text;
    return text === undefined ? [] : [[field, text.trim() === "" ? null : text] as const];
  });
  return Object.fromEntries(changed);
}

function withoutSaved(now: Edits, saved: Edits): Edits {
  const left = fields.filter((field) => now[field]?.text !== saved[field]?.text);
  return Object.fromEntries(left.map((field) => [field, now[field]]));
}
