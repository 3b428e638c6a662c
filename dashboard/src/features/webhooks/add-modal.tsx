import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { EventType } from "../../../../core/model/event-types.ts";
import { sampleEvent, serializeEvent } from "../../../../core/model/events.ts";
import { Dialog } from "../../components/dialog.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { useAddSubscription } from "./api.ts";
import { EventBody } from "./event-body.tsx";
import { EventPreview } from "./event-preview.tsx";
import {
  channelFilter,
  SelectionFields,
  SubscriptionForm,
  TargetFields,
} from "./subscription-form.tsx";

/**
 * Dialog that adds a subscription, with samples of the chosen events beside it. The secret is then
 * shown once.
 */
export function AddModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const add = useAddSubscription();
  if (add.data !== undefined) {
    return (
      <OneTimeSecretModal
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
      <SubscriptionForm
        submit={t("webhooks.add_submit")}
        pending={add.isPending}
        onSubmit={async (input) => await add.mutateAsync(input)}
        onCancel={onClose}
        beside={({ events, channels }) => (
          <EventPreview events={events} channels={channelFilter(channels)}>
            {(type) => <PlainSample type={type} />}
          </EventPreview>
        )}
      >
        {(form) => (
          <>
            <TargetFields form={form} />
            <SelectionFields form={form} />
          </>
        )}
      </SubscriptionForm>
    </Dialog>
  );
}

/** Body of a sample only. Headers cannot be signed before the subscription has a secret. */
function PlainSample({ type }: { type: EventType }) {
  const { t } = useTranslation();
  return (
    <>
      <EventBody body={serializeEvent(sampleEvent(type))} />
      <Text size="xs" c="dimmed">
        {t("preview.unsigned_text")}
      </Text>
    </>
  );
}
