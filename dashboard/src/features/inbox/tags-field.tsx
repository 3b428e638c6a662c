import { TagsInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { maxTagsPerContact } from "../../../../core/model/contact.ts";
import { useContactTags, type ContactCard } from "../../lib/contact.ts";
import { tellFailure } from "../../lib/notify.ts";

interface TagsFieldProps {
  card: ContactCard;
  onClose: () => void;
}

/** Field that changes the tags of a contact. Each change is stored at once. */
export function TagsField({ card, onClose }: TagsFieldProps) {
  const { t } = useTranslation();
  const { tags, change } = useContactTags(card, (error) =>
    tellFailure(t("contact.not_saved"), error),
  );
  return (
    <TagsInput
      size="xs"
      autoFocus
      aria-label={t("contact.tags")}
      maxTags={maxTagsPerContact}
      value={tags}
      data-mantine-stop-propagation="true"
      onChange={change}
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
      onBlur={onClose}
    />
  );
}
