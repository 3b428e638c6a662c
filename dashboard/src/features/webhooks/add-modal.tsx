import { Code, Group, SimpleGrid, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sampleEvent, serializeEvent, type EventType } from "../../../../core/model/events.ts";
import { CopyAction } from "../../components/copy-text.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { OnceModal } from "../../components/once-modal.tsx";
import { useAddSubscription } from "./api.ts";
import { EventPreview } from "./event-preview.tsx";
import {
  channelFilter,
  SelectionFields,
  SubscriptionForm,
  TargetFields,
  valuesOf,
} from "./subscription-form.tsx";

/** Adds a subscription, with what it will receive beside the choice; its secret is then shown once. */
export function AddModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const add = useAddSubscription();
  const [values, setValues] = useState(() => valuesOf(undefined));
  if (add.data !== undefined) {
    return (
      <OnceModal
        title={t("webhooks.added")}
        text={t("webhooks.secret_text")}
        label={t("webhooks.secret")}
        value={add.data.secret}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog onClose={onClose} title={t("webhooks.add")} size={1_000}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <SubscriptionForm
          submit={t("webhooks.add_submit")}
          pending={add.isPending}
          onValues={setValues}
          onSubmit={async (input) => await add.mutateAsync(input)}
          onCancel={onClose}
        >
          {(form) => (
            <>
              <TargetFields form={form} />
              <SelectionFields form={form} />
            </>
          )}
        </SubscriptionForm>
        <EventPreview events={values.events} channels={channelFilter(values.channels)}>
          {(type) => <PlainSample type={type} />}
        </EventPreview>
      </SimpleGrid>
    </Dialog>
  );
}

/** The body alone: there is no secret yet to sign headers with. */
function PlainSample({ type }: { type: EventType }) {
  const { t } = useTranslation();
  const body = serializeEvent(sampleEvent(type));
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {t("deliveries.body")}
        </Text>
        <CopyAction value={body} label={t("deliveries.body")} />
      </Group>
      <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {JSON.stringify(JSON.parse(body), null, 2)}
      </Code>
      <Text size="xs" c="dimmed">
        {t("preview.unsigned_text")}
      </Text>
    </>
  );
}
