import { useId } from "preact/hooks";
import { usePanel } from "../context.ts";
import type { Words } from "../locales/words.ts";
import { wordsOfError } from "./trouble.tsx";

const types = { name: "text", email: "email", phone: "tel" };
const fillings = { name: "name", email: "email", phone: "tel" } as const;

interface FieldProps {
  name: keyof typeof types;
  label: string;
  /** Beside the label, such as `optional`. */
  hint?: string | null;
  value: string;
  fault: string | null;
  onInput: (value: string) => void;
}

/** A field of a form with its label and its fault. */
function Field({ name, label, hint, value, fault, onInput }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {label} {hint && <span class="hint">({hint})</span>}
      </label>
      <input
        id={id}
        name={name}
        type={types[name]}
        autocomplete={fillings[name]}
        maxLength={200}
        dir="auto"
        value={value}
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : `${id}-fault`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {fault !== null && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** Fields that a form may ask for. */
export type FieldName = keyof typeof types;

interface FieldsProps {
  names: readonly FieldName[];
  isOptional: (name: FieldName) => boolean;
  values: Record<FieldName, string>;
  faults: Partial<Record<FieldName, string | null>>;
  onChange: (values: Record<FieldName, string>) => void;
}

/** Several fields, with labels in the visitor's language. */
export function Fields({ names, isOptional, values, faults, onChange }: FieldsProps) {
  const { words } = usePanel();
  return (
    <>
      {names.map((name) => (
        <Field
          key={name}
          name={name}
          label={words[name]}
          hint={isOptional(name) ? words.optional : null}
          value={values[name]}
          fault={faults[name] ?? null}
          onInput={(value) => onChange({ ...values, [name]: value })}
        />
      ))}
    </>
  );
}

/** A field that a person does not see, and that a program fills. The API asks for a proof then. */
export function Trap() {
  return (
    <input class="hidden" name="website" tabIndex={-1} autocomplete="off" aria-hidden="true" />
  );
}

/** The content of the hidden field, where it has one. */
export function readTrap(form: HTMLFormElement): { website?: string } {
  const website = new FormData(form).get("website");
  return typeof website === "string" && website !== "" ? { website: website.slice(0, 300) } : {};
}

/** Says why the API refused a form. */
export function Refusal({ code }: { code: string | null }) {
  const { words } = usePanel();
  if (code === null) return null;
  return (
    <p class="fault" role="alert">
      {wordsOfError(words, code, null)}
    </p>
  );
}

/**
 * Checks a field of the form.
 * @returns the words of its fault, or null
 */
export function faultOf(
  field: FieldName,
  value: string,
  isRequired: boolean,
  words: Words,
): string | null {
  if (value === "") return isRequired ? words.required : null;
  if (field === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(value)) return words.emailWrong;
  if (field === "phone" && !/^\+?[\d\s().-]{6,24}$/u.test(value)) return words.phoneWrong;
  return null;
}
