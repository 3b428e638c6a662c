import { Button, Group, List, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import type { SelectedContact } from "./use-selection.ts";

interface EraseModalProps {
  contacts: SelectedContact[];
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Dialog that says what an erasure deletes and what it leaves. The member types the name of the
 * person, or the number of several people.
 */
export function EraseModal({ contacts, pending, onConfirm, onClose }: EraseModalProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [first] = contacts;
  const count = contacts.length;
  const isOne = count === 1;
  const asked = isOne ? (first?.name ?? "") : String(count);
  const isTyped = sameWords(typed, asked);
  const title = isOne
    ? t("contacts.erase_title", { name: asked })
    : t("contacts.erase_title_many", { count });
  return (
    <Dialog onClose={onClose} title={title} size={520}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped && !pending) onConfirm();
        }}
      >
        <Stack gap="md">
          <Facts
            title={t("contacts.erase_goes")}
            facts={["goes_talk", "goes_person", "goes_open"]}
          />
          <Facts title={t("contacts.erase_stays")} facts={["stays_counts", "stays_yours"]} />
          <TextInput
            label={t(isOne ? "contacts.erase_type_name" : "contacts.erase_type_count", { asked })}
            description={isOne && t("contacts.erase_type_help")}
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("common.keep")}
            </Button>
            <PendingButton type="submit" color="bad" disabled={!isTyped} pending={pending}>
              {t("contacts.erase_submit")}
            </PendingButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type Fact = "goes_talk" | "goes_person" | "goes_open" | "stays_counts" | "stays_yours";

function Facts({ title, facts }: { title: string; facts: Fact[] }) {
  const { t } = useTranslation();
  return (
    <div>
      <Text fw={600} mb={4}>
        {title}
      </Text>
      <List size="sm" spacing={4}>
        {facts.map((fact) => (
          <List.Item key={fact}>{t(`contacts.erase_facts.${fact}`)}</List.Item>
        ))}
      </List>
    </div>
  );
}

/** Spaces and the case do not count: the text shows that the member has read the name. */
function sameWords(one: string, other: string): boolean {
  const words = (text: string) => text.trim().replace(/\s+/g, " ").toLocaleLowerCase();
  return words(one) === words(other) && words(one) !== "";
}
