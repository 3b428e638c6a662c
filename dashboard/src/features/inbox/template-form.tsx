import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Template } from "../../../../core/model/message.ts";
import { fieldErrors } from "../../lib/error-text.ts";
import { newToken } from "../../lib/token.ts";
import type { Conversation } from "./api.ts";
import { useReply } from "./use-reply.ts";

/** Sends a template that the channel's provider has approved, named as it is there. */
export function TemplateForm({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const reply = useReply(conversation);
  const message = useMessageId();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "", language: "es_MX", params: "" },
  });
  const send = form.onSubmit(({ name, language, params }) => {
    const lines = params.split("\n").filter((line) => line.trim() !== "");
    const template = { name, language, params: lines };
    const external_id = message.idOf(template);
    reply.mutate(
      { external_id, type: "template", template },
      {
        onSuccess: () => {
          message.forget();
          form.reset();
        },
        onError: (error) => form.setErrors(fieldErrors(error)),
      },
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

/** What was refused or not heard back from goes again as the same message, never as a second one. */
function useMessageId() {
  const last = useRef<{ template: string; id: string } | null>(null);
  const idOf = (template: Template): string => {
    const words = JSON.stringify(template);
    if (last.current?.template !== words) last.current = { template: words, id: newToken() };
    return last.current.id;
  };
  const forget = (): void => {
    last.current = null;
  };
  return { idOf, forget };
}
