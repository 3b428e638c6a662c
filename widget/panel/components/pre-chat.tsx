import { useId, useState } from "preact/hooks";
import type { ContactFacts } from "../../shared/protocol.ts";
import { usePanel } from "../context.ts";
import { CallError } from "../net/call-error.ts";
import type { Words } from "../locales/words.ts";
import { PrivacyLink } from "./consent.tsx";
import { faultOf, Fields, readTrap, Refusal, Trap, type FieldName } from "./field.tsx";

const fieldNames: readonly FieldName[] = ["name", "email", "phone"];

function listFaults(
  names: readonly FieldName[],
  values: Record<FieldName, string>,
  needs: Record<FieldName, string>,
  words: Words,
): [FieldName, string][] {
  return names.flatMap((name) => {
    const fault = faultOf(name, values[name].trim(), needs[name] === "required", words);
    return fault === null ? [] : [[name, fault]];
  });
}

/** Asks for name and address once, before the first message. */
export function PreChat() {
  const { chat, words, state } = usePanel();
  const { pre_chat } = state.config.settings;
  const [values, setValues] = useState<Record<FieldName, string>>({
    name: "",
    email: "",
    phone: "",
  });
  const [faults, setFaults] = useState<Partial<Record<FieldName, string>>>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const shown = fieldNames.filter((name) => pre_chat[name] !== "off");
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const found = listFaults(shown, values, pre_chat, words);
    setFaults(Object.fromEntries(found));
    const [first] = found;
    if (first !== undefined) return form.querySelector<HTMLElement>(`[name=${first[0]}]`)?.focus();
    setBusy(true);
    try {
      const filled = shown.map((name) => [name, values[name].trim()]);
      const facts = Object.fromEntries(filled.filter(([, value]) => value !== "")) as ContactFacts;
      await chat.fillForm({ ...facts, ...readTrap(form) });
    } catch (thrown) {
      setRefusal(thrown instanceof CallError ? thrown.code : "unknown");
      setBusy(false);
    }
  };
  return (
    <main class="page">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
        noValidate
        aria-labelledby={id}
      >
        <h2 id={id}>{words.formTitle}</h2>
        <p class="prose">{words.formIntro}</p>
        <Fields
          names={shown}
          isOptional={(name) => pre_chat[name] === "optional"}
          values={values}
          faults={faults}
          onChange={setValues}
        />
        <Trap />
        <Refusal code={refusal} />
        <button type="submit" class="primary" disabled={isBusy}>
          {words.start}
        </button>
        <PrivacyLink />
      </form>
    </main>
  );
}
