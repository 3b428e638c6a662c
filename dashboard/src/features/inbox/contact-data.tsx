import { ActionIcon, Anchor, Title, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "../../components/chip.tsx";
import { EditableField } from "../../components/editable-field.tsx";
import { useEditContact, type ContactCard } from "../../lib/contact.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { tellFailure } from "../../lib/notify.ts";
import { phoneText, phoneUrl } from "../../lib/phone.ts";
import { useIsMounted } from "../../lib/use-is-mounted.ts";
import styles from "./contact-panel.module.css";

/** Fetched with the first edit, because most visits change no tag. */
const TagsField = lazyPart(async () => (await import("./tags-field.tsx")).TagsField);

type Field = "name" | "phone" | "email";

/**
 * Saves one field. @returns the error to show, or null. Once the field is off the page, a toast
 * shows the error.
 */
function useSave(id: number, field: Field) {
  const { t } = useTranslation();
  const mounted = useIsMounted();
  const edit = useEditContact(id);
  return async (text: string): Promise<string | null> => {
    try {
      await edit.mutateAsync({ [field]: text === "" ? null : text });
      return null;
    } catch (error) {
      if (!mounted.current) tellFailure(t("contact.not_saved"), error);
      return fieldErrors(error)[field] ?? errorText(error);
    }
  };
}

/** Name of the contact, edited where it stands. */
export function ContactName({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const save = useSave(card.id, "name");
  return (
    <>
      {!card.has_name && <VisuallyHidden component="h2">{card.name}</VisuallyHidden>}
      <EditableField
        label={t("common.name")}
        value={card.has_name ? card.name : ""}
        maxLength={200}
        addLabel={t("contact.add_name")}
        save={save}
      >
        <Title order={2} size="h2" dir="auto" className={styles["name"] ?? ""} title={card.name}>
          {card.name}
        </Title>
      </EditableField>
    </>
  );
}

/** Phone, email and tags of the contact, each edited where it stands. */
export function ContactData({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const savePhone = useSave(card.id, "phone");
  const saveEmail = useSave(card.id, "email");
  return (
    <dl className={styles["data"]}>
      <dt>{t("contact.phone")}</dt>
      <dd>
        <EditableField
          label={t("contact.phone")}
          type="tel"
          value={card.phone === null ? "" : `+${card.phone}`}
          addLabel={t("contact.add_phone")}
          save={savePhone}
        >
          {card.phone !== null && (
            <Anchor href={phoneUrl(card.phone)} className="tabular">
              {phoneText(card.phone)}
            </Anchor>
          )}
        </EditableField>
      </dd>
      <dt>{t("common.email")}</dt>
      <dd>
        <EditableField
          label={t("common.email")}
          type="email"
          value={card.email ?? ""}
          addLabel={t("contact.add_email")}
          save={saveEmail}
        >
          <Anchor href={mailTo(card.email ?? "")} title={card.email ?? ""}>
            {card.email}
          </Anchor>
        </EditableField>
      </dd>
      <dt>{t("contact.tags")}</dt>
      <dd>
        <Tags card={card} />
      </dd>
    </dl>
  );
}

function Tags({ card }: { card: ContactCard }) {
  const [editing, setEditing] = useState(false);
  const list = <TagList card={card} onEdit={() => setEditing(true)} />;
  if (!editing) return list;
  return (
    <Suspense fallback={list}>
      <TagsField card={card} onClose={() => setEditing(false)} />
    </Suspense>
  );
}

function TagList({ card, onEdit }: { card: ContactCard; onEdit: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles["tags"]}>
      {card.tags.map((tag) => (
        <Chip key={tag}>{tag}</Chip>
      ))}
      <Tooltip label={t("contact.edit_tags")}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="var(--parley-control-tiny)"
          aria-label={t("contact.edit_tags")}
          onClick={onEdit}
        >
          <IconPlus size={14} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Link to a mail. Visitors choose their address, which may hold a `?` with a list of copies. */
function mailTo(email: string): string {
  return `mailto:${encodeURIComponent(email).replace("%40", "@")}`;
}
