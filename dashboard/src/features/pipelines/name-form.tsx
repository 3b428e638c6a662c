import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

interface NameFormProps {
  label: string;
  /** Stands above the input; else the label is for those who hear the page. */
  hidden?: boolean;
  name: string;
  onSave: (name: string) => void;
}

/** A name that is changed in place. */
export function NameForm({ label, hidden = false, name, onSave }: NameFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(name);
  const changed = text.trim() !== "" && text.trim() !== name;
  return (
    <form
      style={{ flex: 1 }}
      onSubmit={(event) => {
        event.preventDefault();
        if (changed) onSave(text.trim());
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
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
