import { TagsInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { maxTagsPerContact } from "../../../core/model/contact.ts";
import { useContactTags, type ContactCard } from "../lib/contact.ts";
import { tellFailure } from "../lib/notify.ts";

/** Field for a contact's tags. Each change is saved at once. */
export function ContactTags({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const { tags, change } = useContactTags(card, (error) =>
    tellFailure(t("contact.not_saved"), error),
  );
  return (
    <TagsInput
      label={t("contact.tags")}
      placeholder={tags.length === 0 ? t("contact.add_tag") : ""}
      maxTags={maxTagsPerContact}
      value={tags}
      onChange={change}
    />
  );
}
