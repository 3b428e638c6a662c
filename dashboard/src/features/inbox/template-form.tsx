import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "../../lib/error-text.ts";
import { newToken } from "../../lib/token.ts";
import type { Conversation } from "./api.ts";
import { useReply } from "./use-reply.ts";

/** Sends a template that the channel's provider has approved, named as it is there. */
export function TemplateForm({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const reply = useReply(conversation);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "", language: "es_MX", params: "" },
  });
  const send = form.onSubmit(({ name, language, params }) => {
    const lines = params.split("\n").filter((line) => line.trim() !== "");
    reply.mutate(
      { external_id: newToken(), type: "template", template: { name, language, params: lines } },
      { onSuccess: () => form.reset(), onError: (error) => form.setErrors(fieldErrors(error)) },
    );
  });
  return (
    <form onSubmit={send}>
      <Stack gap="xs">
        <Group grow align="flex-start">
          <TextInput
            label={t("composer.template")}
            required
            withAsterisk={false}
            maxLength={512}
            key={form.key("name")}
            {...form.getInputProps("name")}
          />
          <TextInput
            label={t("composer.language")}
            required
            withAsterisk={false}
            key={form.key("language")}
            {...form.getInputProps("language")}
          />
        </Group>
        <Textarea
          label={t("composer.params")}
          autosize
          minRows={1}
          key={form.key("params")}
          {...form.getInputProps("params")}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={reply.isPending}>
            {t("composer.send")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
