import { Group, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { restChannels } from "../../../../core/model/channels.ts";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { fieldErrors } from "../../lib/error-text.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { conversationPath } from "../../paths.ts";
import { writeAsCustomer, type SandboxMessage } from "./api.ts";

const blank: Required<SandboxMessage> = {
  channel: "whatsapp",
  from: "5215512345678",
  name: "Ana",
  text: "",
};

/** Dialog that writes as a customer, to try the account out, and opens the conversation. */
export function SandboxModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useSandboxForm();
  const write = useMutation({
    mutationFn: writeAsCustomer,
    onError: (error) => form.setErrors(fieldErrors(error)),
    onSuccess: async (message) => {
      onClose();
      await client.invalidateQueries({ queryKey: liveKeys.conversationLists });
      await navigate(conversationPath(message.conversation_id));
    },
  });
  return (
    <Dialog onClose={onClose} title={t("sandbox.title")}>
      <form onSubmit={form.onSubmit((message) => write.mutate(message))}>
        <Stack gap="sm">
          <Text c="dimmed" size="sm">
            {t("sandbox_form.text")}
          </Text>
          <SandboxFields form={form} />
          <MutationFoot mutation={write} submit={t("sandbox_form.submit")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

function useSandboxForm() {
  return useForm({ mode: "uncontrolled", initialValues: blank });
}

function SandboxFields({ form }: { form: ReturnType<typeof useSandboxForm> }) {
  const { t } = useTranslation();
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label={t("inbox.channel")}
          allowDeselect={false}
          data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
          {...form.getInputProps("channel")}
        />
        <TextInput
          label={t("sandbox_form.from")}
          required
          withAsterisk={false}
          maxLength={128}
          {...form.getInputProps("from")}
        />
      </Group>
      <TextInput label={t("common.name")} maxLength={200} {...form.getInputProps("name")} />
      <Textarea
        label={t("sandbox_form.message")}
        required
        withAsterisk={false}
        autosize
        minRows={3}
        maxLength={4096}
        data-autofocus
        {...form.getInputProps("text")}
      />
    </>
  );
}
