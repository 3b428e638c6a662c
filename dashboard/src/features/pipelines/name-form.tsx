import { Button, Group, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

interface NameFormProps {
  label: string;
  /**
   * True where the label is for screen readers only. Otherwise the label is visible above the
   * input.
   */
  hidden?: boolean;
  name: string;
  onSave: (name: string) => void;
}

/**
 * Form that renames something in place. A change by somebody else does not replace the text that is
 * being typed.
 */
export function NameForm({ label, hidden = false, name, onSave }: NameFormProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(name);
  const [known, setKnown] = useState(name);
  if (known !== name) {
    setKnown(name);
    if (text === known) setText(name);
  }
  const changed = text.trim() !== "" && text.trim() !== name;
  return (
    <form
      style={{ flex: 1 }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!changed) return;
        onSave(text.trim());
        // The Save button disappears once the new name is stored.
        input.current?.focus();
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          ref={input}
          flex={1}
          dir="auto"
          maxLength={200}
          {...(hidden ? { "aria-label": label } : { label })}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {changed && <Button type="submit">{t("common.save")}</Button>}
      </Group>
    </form>
  );
}
