import { Grid, Paper } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { tellDone } from "../../lib/notify.ts";
import { useChangeSubscription, type Subscription } from "./api.ts";
import { EventPreview } from "./event-preview.tsx";
import { SignedSample } from "./signed-sample.tsx";
import {
  channelFilter,
  SelectionFields,
  SubscriptionForm,
  valuesOf,
} from "./subscription-form.tsx";

/** Which events are posted, and beside it what each of them looks like, before anything is saved. */
export function EventsTab({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const change = useChangeSubscription(subscription.id);
  const [values, setValues] = useState(() => valuesOf(subscription));
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Paper withBorder p="lg">
          <SubscriptionForm
            subscription={subscription}
            submit={t("common.save")}
            pending={change.isPending}
            onValues={setValues}
            onSubmit={async ({ events, channels }) => {
              await change.mutateAsync({ events, channels });
              tellDone(t("common.saved"));
            }}
          >
            {(form) => <SelectionFields form={form} />}
          </SubscriptionForm>
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <EventPreview events={values.events} channels={channelFilter(values.channels)}>
          {(type) => <SignedSample subscription={subscription} type={type} />}
        </EventPreview>
      </Grid.Col>
    </Grid>
  );
}
