import { Button, Group, TextInput } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BulkWork } from "./api.ts";
import { PopoverForm } from "./popover-form.tsx";

/** Button with a form that adds a tag to the selected contacts, or removes one. */
export function BulkTag({ onRun }: { onRun: (work: BulkWork) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const tag = text.trim();
  const run = (type: "add_tag" | "remove_tag", close: () => void): void => {
    if (tag === "") return;
    close();
    setText("");
    onRun({ type, tag });
  };
  return (
    <PopoverForm
      label={t("contacts.tag")}
      color="gray"
      leftSection={<IconTag size={15} aria-hidden />}
      position="top"
      onSubmit={(close) => run("add_tag", close)}
    >
      {(close) => (
        <>
          <TextInput
            label={t("contacts.tag")}
            maxLength={50}
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group gap="xs" grow>
            <Button
              variant="default"
              disabled={tag === ""}
              onClick={() => run("remove_tag", close)}
            >
              {t("contacts.bulk.remove_tag")}
            </Button>
            <Button type="submit" disabled={tag === ""}>
              {t("contacts.bulk.add_tag")}
            </Button>
          </Group>
        </>
      )}
    </PopoverForm>
  );
}
