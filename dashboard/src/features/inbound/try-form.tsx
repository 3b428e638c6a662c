import {
  Alert,
  Group,
  PasswordInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "../../components/code-block.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { newToken } from "../../lib/token.ts";
import { useReadAgain, type Endpoint } from "./api.ts";
import { actionsOf, sampleBody } from "./samples.ts";
import { sendCall, type SentCall } from "./send-call.ts";
import { canSign, isSecret } from "./signing.ts";

interface TryFormProps {
  endpoint: Endpoint;
  url: string;
}

/**
 * Form that signs a call in this browser and sends it. The secret stays in the form: it is neither
 * stored nor sent.
 */
export function TryForm({ endpoint, url }: TryFormProps) {
  const { t } = useTranslation();
  const form = useCallForm(endpoint);
  const { strict } = endpoint;
  const readAgain = useReadAgain();
  const call = useMutation({ mutationFn: sendCall, onSettled: readAgain });
  if (!canSign()) return <Alert color="warn">{t("inbound.no_signing")}</Alert>;
  const send = form.onSubmit(({ secret, body, eventId }) =>
    call.mutate({ url, secret: secret.trim(), body, strict, eventId }),
  );
  return (
    <Stack gap="lg" maw={760}>
      <form onSubmit={send} autoComplete="off">
        <Stack gap="sm">
          <Text size="sm">{t("inbound.try_text")}</Text>
          <CallFields form={form} endpoint={endpoint} sentId={call.variables?.eventId} />
          <FormFoot error={null} submit={t("inbound.try_submit")} pending={call.isPending} />
        </Stack>
      </form>
      {call.data !== undefined && <Sent sent={call.data} strict={strict} />}
    </Stack>
  );
}

function useCallForm({ kind }: Endpoint) {
  const { t } = useTranslation();
  const [action] = actionsOf[kind];
  const [now] = useState(() => Date.now());
  return useForm({
    initialValues: {
      event: action.event,
      body: sampleBody(action, now),
      eventId: newEventId(),
      secret: "",
    },
    validate: {
      secret: (secret) => (isSecret(secret.trim()) ? null : t("inbound.no_secret")),
      eventId: (id) => (/^[\x21-\x7e]{1,255}$/.test(id) ? null : t("inbound.no_event_id")),
    },
  });
}

function newEventId(): string {
  return `try-${newToken().slice(0, 8)}`;
}

interface CallFieldsProps {
  form: ReturnType<typeof useCallForm>;
  endpoint: Endpoint;
  /** Event id of the last sent call. */
  sentId: string | undefined;
}

function CallFields({ form, endpoint: { kind }, sentId }: CallFieldsProps) {
  const { t } = useTranslation();
  const actions = actionsOf[kind];
  const choose = (event: string | null): void => {
    const action = actions.find((one) => one.event === event);
    if (action === undefined) return;
    const body = sampleBody(action, Date.now());
    form.setValues({ event: action.event, body, eventId: newEventId() });
  };
  /** A changed body gets a new event id. The same body sent again is a repetition. */
  const write = (body: string): void => {
    const { eventId } = form.values;
    form.setValues({ body, eventId: eventId === sentId ? newEventId() : eventId });
  };
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label={t("inbound.action")}
          allowDeselect={false}
          data={actions.map(({ event }) => event)}
          value={form.values.event}
          onChange={choose}
        />
        <TextInput label={t("deliveries.event_id")} {...form.getInputProps("eventId")} />
      </Group>
      <Textarea
        label={t("deliveries.body")}
        description={t("inbound.body_text")}
        autosize
        minRows={3}
        maxRows={14}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        {...form.getInputProps("body")}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
      <PasswordInput
        label={t("inbound.secret")}
        description={t("inbound.try_secret_text")}
        placeholder="whsec_…"
        autoComplete="off"
        data-1p-ignore
        data-lpignore="true"
        {...form.getInputProps("secret")}
      />
    </>
  );
}

function Sent({ sent: { curl, answer }, strict }: { sent: SentCall; strict: boolean }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" role="status">
      <Title order={2}>{t("inbound.answer")}</Title>
      {answer === null ? (
        <Alert color="bad">{t("error.network")}</Alert>
      ) : (
        <>
          <Text size="sm" className="tabular">
            {t("deliveries.outcome", { answer: answer.status, time: `${answer.ms} ms` })}
          </Text>
          <CodeBlock value={answer.body} label={t("inbound.answer")} />
        </>
      )}
      <Title order={2}>{t("inbound.same_call")}</Title>
      <Text size="sm">{t(strict ? "inbound.same_call_strict" : "inbound.same_call_text")}</Text>
      <CodeBlock value={curl} label="curl" />
    </Stack>
  );
}
