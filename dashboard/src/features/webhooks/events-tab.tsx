import { Paper } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { differenceOf } from "../../lib/difference.ts";
import { tellDone } from "../../lib/notify.ts";
import { useChangeSubscription, type Subscription } from "./api.ts";
import { EventPreview } from "./event-preview.tsx";
import { SignedSample } from "./signed-sample.tsx";
import { channelFilter, SelectionFields, SubscriptionForm } from "./subscription-form.tsx";

/** Tab for the events of a subscription, with samples of each event before anything is saved. */
export function EventsTab({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const change = useChangeSubscription(subscription.id);
  return (
    <SubscriptionForm
      subscription={subscription}
      pending={change.isPending}
      onSubmit={async ({ events, channels }, before) => {
        const stored = { events: before.events, channels: before.channels };
        await change.mutateAsync(differenceOf({ events, channels }, stored));
        tellDone(t("common.saved"));
      }}
      beside={({ events, channels }) => (
        <EventPreview events={events} channels={channelFilter(channels)}>
          {(type) => <SignedSample subscription={subscription} type={type} />}
        </EventPreview>
      )}
    >
      {(form) => (
        <Paper withBorder p="lg">
          <SelectionFields form={form} />
        </Paper>
      )}
    </SubscriptionForm>
  );
}
