import { Group, Paper, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { duplicatesQuery, type ContactRow } from "../../lib/contact.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { phoneText } from "../../lib/phone.ts";
import { useMergeContacts, type Duplicate } from "./api.ts";

/** Dialog with the contacts that may be the same person. The member chooses the one that stays. */
export function DuplicatesModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const duplicates = useQuery(duplicatesQuery);
  return (
    <Dialog onClose={onClose} title={t("contacts.duplicates_title")} size={560}>
      <Stack>
        <Text>{t("contacts.duplicates_text")}</Text>
        <QueryState query={duplicates}>
          {(groups) =>
            groups.length === 0 ? (
              <Text c="dimmed">{t("contacts.no_duplicates")}</Text>
            ) : (
              <>
                {groups.map((group) => (
                  <DuplicateGroup key={group.contacts.map(({ id }) => id).join()} group={group} />
                ))}
              </>
            )
          }
        </QueryState>
      </Stack>
    </Dialog>
  );
}

function DuplicateGroup({ group: { same, contacts } }: { group: Duplicate }) {
  const { t } = useTranslation();
  const [kept, setKept] = useState(contacts[0]?.id ?? 0);
  const merge = useMergeContacts();
  const names = contacts.map(({ name }) => name).join(", ");
  const others = contacts.filter(({ id }) => id !== kept).map(({ id }) => id);
  const confirm = (): void =>
    merge.mutate(
      { into: kept, ids: others },
      {
        onSuccess: () => tellDone(t("contacts.merged")),
        onError: (error) => tellFailure(t("contacts.not_merged"), error),
      },
    );
  return (
    <Paper withBorder p="md" role="group" aria-label={names}>
      <Radio.Group
        label={t("contacts.merge_into")}
        description={t(`contacts.same.${same}`)}
        value={String(kept)}
        onChange={(value) => setKept(Number(value))}
      >
        <Stack gap="xs" mt="xs">
          {contacts.map((contact) => (
            <Radio
              key={contact.id}
              value={String(contact.id)}
              label={contact.name}
              description={reachOf(contact)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Group justify="flex-end" mt="sm">
        <PendingButton
          size="xs"
          variant="default"
          aria-label={t("contacts.merge_names", { names })}
          pending={merge.isPending}
          onClick={confirm}
        >
          {t("contacts.merge")}
        </PendingButton>
      </Group>
    </Paper>
  );
}

function reachOf({ phone, email }: ContactRow): string {
  return [phone === null ? null : phoneText(phone), email]
    .filter((one) => one !== null)
    .join(" · ");
}
