import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowMerge, IconEdit, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { BookButton } from "../../components/book-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import type { ContactCard } from "../../lib/contact.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useOpenConversation } from "../../lib/open-conversation.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { useEraseContact } from "./api.ts";
import { MergeModal } from "./merge-modal.tsx";

/** Actions on a whole contact. Only admins may erase. */
export function ContactActions({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [merging, merge] = useDisclosure(false);
  const [erasing, erase] = useDisclosure(false);
  return (
    <Group gap="xs">
      {card.phone !== null && <WriteButton phone={card.phone} />}
      <BookButton contact={card} variant="default" />
      <Button
        variant="default"
        leftSection={<IconArrowMerge size={16} aria-hidden />}
        onClick={merge.open}
      >
        {t("contacts.merge")}
      </Button>
      {role === "admin" && (
        <Button
          variant="default"
          c="bad"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={erase.open}
        >
          {t("contacts.erase")}
        </Button>
      )}
      {merging && <MergeModal card={card} onClose={merge.close} />}
      {erasing && <EraseModal card={card} onClose={erase.close} />}
    </Group>
  );
}

/** Opens the WhatsApp conversation with the contact. */
function WriteButton({ phone }: { phone: string }) {
  const { t } = useTranslation();
  const open = useOpenConversation();
  return (
    <PendingButton
      variant="default"
      leftSection={<IconEdit size={16} aria-hidden />}
      pending={open.isPending}
      onClick={() =>
        open.mutate(
          { phone },
          { onError: (error) => tellFailure(t("new_conversation.failed"), error) },
        )
      }
    >
      {t("new_conversation.write")}
    </PendingButton>
  );
}

function EraseModal({ card: { id, name }, onClose }: { card: ContactCard; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const erase = useEraseContact(id);
  const confirm = (): void => {
    // The page of this contact may be unmounted before the answer arrives, so hook callbacks would
    // not run.
    void erase.mutateAsync(undefined).then(
      async () => {
        tellDone(t("contacts.erased"));
        await navigate(paths.contacts);
      },
      (error: unknown) => tellFailure(t("contacts.not_erased"), error),
    );
  };
  return (
    <Dialog onClose={onClose} title={t("contacts.erase_title", { name })}>
      <Stack>
        <Text>{t("contacts.erase_text")}</Text>
        <List size="sm" spacing="xs">
          <List.Item>{t("contacts.erase_kept")}</List.Item>
          <List.Item>{t("contacts.erase_deliveries")}</List.Item>
          <List.Item>{t("contacts.erase_receivers")}</List.Item>
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t("common.cancel")}
          </Button>
          <PendingButton color="bad" pending={erase.isPending} onClick={confirm}>
            {t("contacts.erase_submit")}
          </PendingButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
