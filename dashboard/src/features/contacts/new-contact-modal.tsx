import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { fieldErrors } from "../../lib/error-text.ts";
import { contactPath } from "../../paths.ts";
import { useCreateContact, type NewContact } from "./api.ts";

/** Dialog that creates a contact and opens it. */
export function NewContactModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const create = useCreateContact();
  const form = useForm<NewContact>({ initialValues: { name: "", phone: "", email: "" } });
  const save = form.onSubmit((values) =>
    create.mutate(values, {
      onError: (error) => form.setErrors(fieldErrors(error)),
      onSuccess: ({ id }) => void navigate(contactPath(id)),
    }),
  );
  return (
    <Dialog onClose={onClose} title={t("contacts.add")}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t("contacts.add_text")}
          </Text>
          <TextInput
            label={t("common.name")}
            maxLength={200}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <TextInput label={t("contact.phone")} type="tel" {...form.getInputProps("phone")} />
          <TextInput label={t("common.email")} {...form.getInputProps("email")} />
          <MutationFoot mutation={create} submit={t("common.save")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
