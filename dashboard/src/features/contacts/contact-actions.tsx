import { Group, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconArrowMerge,
  IconDots,
  IconFileDownload,
  IconEdit,
  IconTrash,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { BookButton } from "../../components/book-button.tsx";
import { useExport } from "../../components/exports/export-button.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import type { ContactCard } from "../../lib/contact.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useOpenConversation } from "../../lib/open-conversation.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { useEraseContact } from "./api.ts";
import { EraseModal } from "./erase-modal.tsx";
import { MergeModal } from "./merge-modal.tsx";

/** Actions on a whole contact. Only admins may erase. */
export function ContactActions({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [merging, merge] = useDisclosure(false);
  const [erasing, erase] = useDisclosure(false);
  const exporting = useExport({ kind: "contact", contact_id: card.id });
  return (
    <Group gap="xs">
      {card.phone !== null && <WriteButton phone={card.phone} />}
      <BookButton contact={card} variant="default" />
      <Menu position="bottom-end">
        <Menu.Target>
          <IconAction label={t("people.actions", { name: card.name })} variant="default" size={32}>
            <IconDots size={18} aria-hidden />
          </IconAction>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArrowMerge size={16} aria-hidden />} onClick={merge.open}>
            {t("contacts.merge_menu")}
          </Menu.Item>
          {role === "admin" && (
            <>
              <Menu.Item
                leftSection={<IconFileDownload size={16} aria-hidden />}
                onClick={exporting.start}
              >
                {t("exports.contact_menu")}
              </Menu.Item>
              <Menu.Item
                color="bad"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={erase.open}
              >
                {t("contacts.erase")}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {exporting.dialog}
      {merging && <MergeModal card={card} onClose={merge.close} />}
      {erasing && <EraseContact card={card} onClose={erase.close} />}
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

function EraseContact({ card, onClose }: { card: ContactCard; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const erase = useEraseContact(card.id);
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
    <EraseModal contacts={[card]} pending={erase.isPending} onConfirm={confirm} onClose={onClose} />
  );
}
