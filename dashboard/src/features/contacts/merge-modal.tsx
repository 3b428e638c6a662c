import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ContactPicker } from "../../components/contact-picker.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import type { ContactCard, ContactRow } from "../../lib/contact.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { contactPath } from "../../paths.ts";
import { useMergeContact } from "./api.ts";

/** Dialog to choose another contact, merge this contact into it, and open it. */
export function MergeModal({ card, onClose }: { card: ContactCard; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [into, setInto] = useState<ContactRow | null>(null);
  const merge = useMergeContact(card.id);
  const confirm = ({ id }: ContactRow): void => {
    // The page of this contact may be unmounted before the answer arrives, so hook callbacks would
    // not run.
    void merge.mutateAsync(id).then(
      async () => {
        tellDone(t("contacts.merged"));
        await navigate(contactPath(id), { replace: true });
      },
      (error: unknown) => tellFailure(t("contacts.not_merged"), error),
    );
  };
  return (
    <Dialog onClose={onClose} title={t("contacts.merge_title", { name: card.name })}>
      <Stack>
        <Text size="sm">{t("contacts.merge_text")}</Text>
        <ContactPicker
          label={t("contacts.merge_into")}
          exceptId={card.id}
          chosen={into}
          onChoose={setInto}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <PendingButton
            disabled={into === null}
            pending={merge.isPending}
            onClick={() => into !== null && confirm(into)}
          >
            {t("contacts.merge")}
          </PendingButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
