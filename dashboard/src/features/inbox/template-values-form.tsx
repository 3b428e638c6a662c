import { Anchor, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { TemplateParams, TemplatePlace } from "../../../../core/model/template-params.ts";
import { renderPieces } from "../../../../core/model/template-text.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { ApiError } from "../../lib/api.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { useIsMounted } from "../../lib/use-is-mounted.ts";
import type { Conversation, ListedTemplate } from "./api.ts";
import styles from "./composer.module.css";
import { TemplateFile, type HeadingFile, type HeadingKind } from "./template-file.tsx";
import { useReply } from "./use-reply.ts";
import type { useTemplateDraft } from "./use-template-draft.ts";

const ButtonData = lazyPart(async () => (await import("./button-data.tsx")).ButtonData);

interface TemplateValuesProps {
  template: ListedTemplate;
  conversation: Conversation;
  /** The values so far. They stay when the form closes. */
  stored: ReturnType<typeof useTemplateDraft>;
  /** True where the first field takes the focus. */
  hasFocus: boolean;
  onSent: () => void;
}

type Placeholder = ListedTemplate["placeholders"][number];

/** Values by `place.key`. An empty text is no value. */
type Values = Record<string, string>;

/** A field for each value of a template, with the message as the customer will read it. */
export function TemplateValuesForm(props: TemplateValuesProps) {
  const { template, stored, hasFocus } = props;
  const { t } = useTranslation();
  const { file } = stored.draft;
  const { form, change, send, sending } = useTemplateValues(props);
  return (
    <form onSubmit={send} aria-label={template.name}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600} truncate>
            {template.name}{" "}
            <Text span size="xs" c="dimmed">
              {template.language}
            </Text>
          </Text>
          <Anchor component="button" type="button" size="sm" onClick={stored.drop}>
            {t("composer.other_template")}
          </Anchor>
        </Group>
        {fieldsOf(template).map((placeholder, index) => (
          <FileOrValue
            key={nameOf(placeholder)}
            placeholder={placeholder}
            file={file}
            onFile={(next) => change({ file: next })}
          >
            <ValueField
              placeholder={placeholder}
              hasFocus={hasFocus && index === 0}
              {...form.getInputProps(fieldOf(placeholder))}
            />
          </FileOrValue>
        ))}
        {template.placeholders.some(isData) && (
          <Suspense fallback={null}>
            <ButtonData
              template={template}
              inputOf={(placeholder) => form.getInputProps(fieldOf(placeholder))}
            />
          </Suspense>
        )}
        <Preview template={template} values={form.values} />
        <Group justify="flex-end">
          <PendingButton type="submit" pending={sending}>
            {t("composer.send")}
          </PendingButton>
        </Group>
      </Stack>
    </form>
  );
}

/** Values that the customer reads. Data for programs has its own fold below them. */
function fieldsOf({ placeholders }: ListedTemplate): Placeholder[] {
  return placeholders.filter((placeholder) => !isData(placeholder));
}

function isData({ kind }: Placeholder): boolean {
  return kind === "payload";
}

function nameOf({ place, key }: Placeholder): string {
  return `${place}.${key}`;
}

/** A dot in the name of a field would mean a nested value to the form. */
function fieldOf({ place, key }: Placeholder): string {
  return `${place}:${key}`;
}

interface ValueFieldProps {
  placeholder: Placeholder;
  hasFocus: boolean;
}

function ValueField({ placeholder, hasFocus, ...input }: ValueFieldProps) {
  const { t } = useTranslation();
  const { place, key, kind, required, example } = placeholder;
  const what = kind === "text" || kind === "payload" ? place : kind;
  const label = t(`composer.value_${what}`, { key });
  return (
    <TextInput
      label={required ? label : t("composer.value_optional", { label })}
      {...(example !== null && { placeholder: t("composer.example", { example }) })}
      required={required}
      withAsterisk={false}
      maxLength={1_024}
      dir="auto"
      data-autofocus={hasFocus || undefined}
      autoFocus={hasFocus}
      {...input}
    />
  );
}

interface FileOrValueProps {
  placeholder: Placeholder;
  file: HeadingFile | null;
  onFile: (file: HeadingFile | null) => void;
  children: ReactNode;
}

/** The address of a file may be an upload instead. */
function FileOrValue({ placeholder: { kind, key }, file, onFile, children }: FileOrValueProps) {
  if (kind !== "link" || !isHeadingKind(key)) return children;
  return (
    <TemplateFile kind={key} file={file} onChange={onFile}>
      {children}
    </TemplateFile>
  );
}

function isHeadingKind(key: string): key is HeadingKind {
  return key === "image" || key === "video" || key === "document";
}

function Preview({ template, values }: { template: ListedTemplate; values: Values }) {
  const { t } = useTranslation();
  const { header, body, footer, buttons } = renderPieces(template, {
    header: valuesOf(template, values, "header"),
    body: valuesOf(template, values, "body"),
    buttons: valuesOf(template, values, "buttons"),
  });
  const file = template.header !== null && template.header.kind !== "text";
  return (
    <Stack gap={4} role="group" aria-label={t("composer.preview")}>
      <div className={styles["templatePreview"]} dir="auto">
        {file && <Text size="xs">[{t(`message_type.${template.header?.kind ?? "image"}`)}]</Text>}
        {header !== null && <Text fw={600}>{header}</Text>}
        <Text className={styles["templateBody"] ?? ""}>{body}</Text>
        {footer !== null && <Text size="xs">{footer}</Text>}
        {buttons.map(({ text, url }, index) => (
          <Text key={index} size="xs" fw={600} truncate>
            {text}
            {url !== null && ` · ${url}`}
          </Text>
        ))}
      </div>
    </Stack>
  );
}

function valuesOf(
  { placeholders }: ListedTemplate,
  values: Values,
  place: TemplatePlace,
): Map<string, string> {
  const own = placeholders.filter((one) => one.place === place);
  const pairs = own.map((one) => [one.key, values[fieldOf(one)] ?? ""] as const);
  return new Map(pairs.filter(([, value]) => value.trim() !== ""));
}

/** State of the form, and the function that sends it. */
function useTemplateValues({ template, conversation, stored, onSent }: TemplateValuesProps) {
  const reply = useReply(conversation);
  const mounted = useIsMounted();
  const { file, values: before } = stored.draft;
  // An upload may end after the person chose another template.
  const change = (part: Parameters<typeof stored.change>[0]): void => {
    if (stored.read().template?.id === template.id) stored.change(part);
  };
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: Object.fromEntries(
      template.placeholders.map(fieldOf).map((field) => [field, before[field] ?? ""]),
    ),
    onValuesChange: (values) => change({ values }),
  });
  const send = form.onSubmit((values) => {
    const { name, language } = template;
    const sent = { name, language, params: paramsOf(template, values, file !== null) };
    const external_id = stored.startSending({ template, values, file });
    const uploaded = file === null ? {} : { upload_id: file.uploadId };
    // A promise, since callbacks of the call end with the form.
    reply.mutateAsync({ external_id, type: "template", template: sent, ...uploaded }).then(
      () => {
        // A person who has changed the values meanwhile goes on with them.
        if (stored.settle(external_id) && mounted.current) onSent();
      },
      (error: unknown) => form.setErrors(problemsOf(error)),
    );
  });
  return { form, change, send, sending: reply.isPending };
}

/** @param hasFile an upload takes the place of an address that was typed before */
function paramsOf(template: ListedTemplate, typed: Values, hasFile: boolean): TemplateParams {
  const links = hasFile ? fieldsOf(template).filter(({ kind }) => kind === "link") : [];
  const values = { ...typed, ...Object.fromEntries(links.map((one) => [fieldOf(one), ""])) };
  const parts = (["header", "body", "buttons"] as const).map(
    (place) => [place, Object.fromEntries(valuesOf(template, values, place))] as const,
  );
  return Object.fromEntries(parts.filter(([, part]) => Object.keys(part).length > 0));
}

/** Problems of the values by field, as the refusal lists them. */
function problemsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.code !== "invalid_template_params") return {};
  const { problems = [] } = error.details as { problems?: { path: string; message: string }[] };
  return Object.fromEntries(problems.map(({ path, message }) => [path.replace(".", ":"), message]));
}
