import { Code, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { fieldErrors } from "../../lib/error-text.ts";
import { languageOf, templateLanguages } from "../../lib/i18n.ts";
import { useSession } from "../../lib/session.ts";
import { useIsMounted } from "../../lib/use-is-mounted.ts";
import type { Conversation } from "./api.ts";
import styles from "./composer.module.css";
import { useReply } from "./use-reply.ts";
import { useNamedDraft } from "./use-template-draft.ts";

interface TemplateFormProps {
  conversation: Conversation;
  onSent: () => void;
}

/** Fields side by side start at the same height, whatever the length of their descriptions. */
const inLine: ("label" | "input" | "error" | "description")[] = [
  "label",
  "input",
  "error",
  "description",
];

/**
 * Form for a template of a channel that has no list of them, such as the sandbox. The name is the
 * provider's.
 */
export function TemplateByName({ conversation, onSent }: TemplateFormProps) {
  const { t } = useTranslation();
  const { form, send, sending } = useTemplate(conversation, onSent);
  return (
    <form onSubmit={send}>
      <Stack gap="xs">
        <Group grow align="flex-start">
          <TextInput
            label={t("composer.template_name")}
            description={t("composer.template_text")}
            inputWrapperOrder={inLine}
            required
            withAsterisk={false}
            maxLength={512}
            key={form.key("name")}
            {...form.getInputProps("name")}
          />
          <TextInput
            label={t("composer.language")}
            description={t("composer.language_text")}
            inputWrapperOrder={inLine}
            required
            withAsterisk={false}
            key={form.key("language")}
            {...form.getInputProps("language")}
          />
        </Group>
        <Textarea
          label={t("composer.params")}
          description={t("composer.params_text")}
          autosize
          minRows={1}
          key={form.key("params")}
          {...form.getInputProps("params")}
        />
        <Preview {...form.values} />
        <Group justify="flex-end">
          <PendingButton type="submit" pending={sending}>
            {t("composer.send")}
          </PendingButton>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * Preview of the message. Only the provider knows the text of a template, so the preview shows what
 * is sent: the name, the language and the values of the variables.
 */
function Preview({ name, language, params }: TemplateValues) {
  const { t } = useTranslation();
  if (name.trim() === "") return null;
  return (
    <Stack gap={4} role="group" aria-label={t("composer.preview")}>
      <Text size="xs" c="dimmed">
        {t("composer.preview_text")}
      </Text>
      <div className={styles["templatePreview"]}>
        <Group gap="xs">
          <Code>{name.trim()}</Code>
          <Text span size="xs">
            {language}
          </Text>
        </Group>
        {valuesIn(params).map((value, index) => (
          <div key={index} dir="auto">
            <Code>{`{{${index + 1}}}`}</Code> {value}
          </div>
        ))}
      </div>
    </Stack>
  );
}

interface TemplateValues {
  name: string;
  language: string;
  /** One value a line. */
  params: string;
}

function valuesIn(params: string): string[] {
  return params.split("\n").filter((line) => line.trim() !== "");
}

/** State of the template form, and the function that sends it. */
function useTemplate(conversation: Conversation, onSent: () => void) {
  const { account } = useSession();
  const reply = useReply(conversation);
  const mounted = useIsMounted();
  const stored = useNamedDraft(conversation);
  const blank = { name: "", language: templateLanguages[languageOf(account.locale)], params: "" };
  const form = useForm<TemplateValues>({
    mode: "controlled",
    initialValues: stored.draft.values ?? blank,
    onValuesChange: (values) => stored.change({ values }),
  });
  const send = form.onSubmit(({ name, language, params }) => {
    const template = { name, language, params: valuesIn(params) };
    const external_id = stored.startSending({ values: { name, language, params } });
    // A promise, since callbacks of the call end with the form.
    reply.mutateAsync({ external_id, type: "template", template }).then(
      () => {
        // A person who has changed the values meanwhile goes on with them.
        if (!stored.settle(external_id) || !mounted.current) return;
        form.setValues(blank);
        // The form has stored its blank values as a draft.
        stored.drop();
        onSent();
      },
      (error: unknown) => form.setErrors(fieldErrors(error)),
    );
  });
  return { form, send, sending: reply.isPending };
}
