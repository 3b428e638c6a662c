import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { fieldErrors } from "../../lib/error-text.ts";
import { useOpenConversation } from "../../lib/open-conversation.ts";

interface NewConversationModalProps {
  /**
   * True where the URL opened the dialog. Then its URL is replaced, so that Back does not reopen
   * it.
   */
  isByUrl: boolean;
  onClose: () => void;
  /** Runs when the conversation exists and its page is shown. */
  onDone: () => void;
}

/**
 * Dialog that opens a conversation with a phone. The first message is written in the conversation.
 */
export function NewConversationModal({ isByUrl, onClose, onDone }: NewConversationModalProps) {
  const { t } = useTranslation();
  const open = useOpenConversation({ replace: isByUrl });
  const form = useForm({ mode: "uncontrolled", initialValues: { phone: "", name: "" } });
  const send = form.onSubmit(({ phone, name }) =>
    open.mutate(name.trim() === "" ? { phone } : { phone, name }, {
      onSuccess: onDone,
      onError: (error) => form.setErrors(fieldErrors(error)),
    }),
  );
  return (
    <Dialog onClose={onClose} title={t("new_conversation.title")}>
      <form onSubmit={send}>
        <Stack gap="sm">
          <Text c="dimmed" size="sm">
            {t("new_conversation.text")}
          </Text>
          <TextInput
            label={t("contact.phone")}
            placeholder="+52 55 1234 5678"
            type="tel"
            required
            withAsterisk={false}
            data-autofocus
            {...form.getInputProps("phone")}
          />
          <TextInput
            label={t("common.name")}
            placeholder={t("common.optional")}
            maxLength={200}
            {...form.getInputProps("name")}
          />
          <MutationFoot mutation={open} submit={t("new_conversation.submit")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
