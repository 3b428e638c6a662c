import { Anchor, Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isFinishedDelivery } from "../../../../core/model/workflow/delivery.ts";
import { CopyText } from "../../components/copy-text.tsx";
import { SideDialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { DeliveryStatus } from "../../components/states.tsx";
import { codeText } from "../../lib/code-text.ts";
import { tellFailure } from "../../lib/notify.ts";
import { AttemptPages } from "./attempt-pages.tsx";
import { deliveryQuery, useDeliveryAction, type Delivery } from "./deliveries-api.ts";
import { DeliveryTimeline } from "./delivery-timeline.tsx";
import { EventBody } from "./event-body.tsx";
import { NextAttempt } from "./next-attempt.tsx";

/** Drawer of a delivery with its actions, attempts and event. */
export function DeliveryDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const query = useQuery(deliveryQuery(id));
  return (
    <SideDialog onClose={onClose} size="lg" title={t("deliveries.one", { id })}>
      <QueryState query={query}>{(delivery) => <Details delivery={delivery} />}</QueryState>
    </SideDialog>
  );
}

function Details({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Group>
        <DeliveryStatus state={delivery.state} />
        <Text ff="monospace">{delivery.event_type}</Text>
        <NextAttempt row={delivery} />
      </Group>
      {delivery.reason !== null && (
        <Text size="sm">{codeText("delivery_reason", delivery.reason)}</Text>
      )}
      <CopyText value={delivery.event_id} label={t("deliveries.event_id")} />
      <Actions delivery={delivery} />
      <Title order={3}>{t("deliveries.attempts")}</Title>
      <DeliveryTimeline delivery={delivery} />
      <AttemptPages key={delivery.id} delivery={delivery} />
      <Title order={3}>{t("deliveries.body")}</Title>
      {delivery.body === null ? (
        <Text c="dimmed">{t("deliveries.erased")}</Text>
      ) : (
        <EventBody body={delivery.body} />
      )}
    </Stack>
  );
}

function Actions({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const action = useDeliveryAction(delivery.id);
  const [cancelling, setCancelling] = useState(false);
  const onError = (error: unknown): void => tellFailure(t("deliveries.not_done"), error);
  const finished = isFinishedDelivery(delivery.state);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {delivery.state === "waiting" && (
          <PendingButton
            size="xs"
            pending={action.isPending}
            onClick={() => action.mutate({ step: "retry" }, { onError })}
          >
            {t("deliveries.retry")}
          </PendingButton>
        )}
        {finished && (
          <PendingButton
            size="xs"
            pending={action.isPending}
            onClick={() => action.mutate({ step: "redeliver" }, { onError })}
          >
            {t("deliveries.redeliver")}
          </PendingButton>
        )}
        {!finished && (
          <Button size="xs" variant="default" onClick={() => setCancelling(true)}>
            {t("deliveries.cancel")}
          </Button>
        )}
        {delivery.workflow_url !== null && (
          <Anchor href={delivery.workflow_url} target="_blank" rel="noreferrer" size="sm">
            {t("deliveries.temporal")}
          </Anchor>
        )}
      </Group>
      {cancelling && !finished && (
        <CancelForm onCancel={(reason) => action.mutate({ step: "cancel", reason }, { onError })} />
      )}
    </Stack>
  );
}

function CancelForm({ onCancel }: { onCancel: (reason: string) => void }) {
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCancel(reason.trim());
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          flex={1}
          label={t("deliveries.why")}
          required
          withAsterisk={false}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Button type="submit" color="bad" disabled={reason.trim() === ""}>
          {t("deliveries.cancel")}
        </Button>
      </Group>
    </form>
  );
}
