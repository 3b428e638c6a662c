import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "../lib/error-text.ts";
import { tellDone, tellFailure } from "../lib/notify.ts";
import { useChangeContact, type ContactCard, type ContactChange } from "../lib/contact.ts";

/** Name, phone and email of a contact, changed in place. */
export function ContactForm({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const change = useChangeContact(card.id);
  const form = useForm({
    initialValues: {
      name: card.has_name ? card.name : "",
      phone: card.phone ?? "",
      email: card.email ?? "",
    },
  });
  const save = form.onSubmit(async (values) => {
    try {
      await change.mutateAsync(changesOf(values, form.isDirty));
      tellDone(t("common.saved"));
    } catch (error) {
      const fields = fieldErrors(error);
      if (Object.keys(fields).length > 0) form.setErrors(fields);
      else tellFailure(t("contact.not_saved"), error);
    }
  });
  return (
    <form onSubmit={save}>
      <Stack gap="xs">
        <TextInput
          label={t("common.name")}
          placeholder={card.has_name ? "" : card.name}
          maxLength={200}
          dir="auto"
          {...form.getInputProps("name")}
        />
        <TextInput label={t("contact.phone")} type="tel" {...form.getInputProps("phone")} />
        <TextInput label={t("common.email")} type="email" {...form.getInputProps("email")} />
        {form.isDirty() && (
          <Group gap="xs">
            <Button type="submit" size="xs" loading={change.isPending}>
              {t("common.save")}
            </Button>
            <Button size="xs" variant="default" onClick={() => form.reset()}>
              {t("common.cancel")}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

/** Only the fields that were changed; an emptied one is cleared. */
function changesOf(
  values: Record<"name" | "phone" | "email", string>,
  isDirty: (field: string) => boolean,
): ContactChange {
  const fields = (["name", "phone", "email"] as const).filter((field) => isDirty(field));
  return Object.fromEntries(
    fields.map((field) => [field, values[field].trim() === "" ? null : values[field]]),
  );
}
