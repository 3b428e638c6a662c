import { Anchor, Button, CloseButton, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconExternalLink, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isFinishedDelivery } from "../../../../core/model/workflow/delivery.ts";
import { CopyAction } from "../../components/copy-text.tsx";
import { SideFrame } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { MoveButtons } from "../../components/move-buttons.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { DeliveryStatus } from "../../components/states.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { dayAndSeconds, exactTime } from "../../lib/time.ts";
import { AttemptPages } from "./attempt-pages.tsx";
import { CurlButton } from "./curl-button.tsx";
import { deliveryQuery, useDeliveryAction, type Delivery } from "./deliveries-api.ts";
import { DeliveryProgress } from "./delivery-progress.tsx";
import { deliverySubject } from "./delivery-subject.ts";
import { EventBody } from "./event-body.tsx";
import styles from "./webhooks.module.css";

interface DeliveryDrawerProps {
  id: number;
  /** The rows before and after this one in the list; null where there is none. */
  previous: number | null;
  next: number | null;
  onMove: (id: number) => void;
  onClose: () => void;
}

/** Drawer of a delivery: state, actions, next try, body and attempts. Arrows go along the list. */
export function DeliveryDrawer({ id, previous, next, onMove, onClose }: DeliveryDrawerProps) {
  const { t } = useTranslation();
  const query = useQuery(deliveryQuery(id));
  return (
    <SideFrame
      label={t("deliveries.one", { id })}
      onClose={onClose}
      head={
        <>
          {query.data !== undefined && (
            <Group gap="4px 10px" miw={0}>
              <Title order={2} ff="monospace" className={styles["type"] ?? ""}>
                {query.data.event_type}
              </Title>
              <DeliveryStatus state={query.data.state} />
            </Group>
          )}
          <Group gap={2} wrap="nowrap" ml="auto">
            <MoveButtons
              labels={{ previous: t("deliveries.previous"), next: t("deliveries.next_one") }}
              previous={previous}
              next={next}
              onMove={onMove}
            />
            <CloseButton aria-label={t("common.close")} onClick={onClose} />
          </Group>
        </>
      }
    >
      <QueryState query={query}>
        {(delivery) => <Details key={delivery.id} delivery={delivery} />}
      </QueryState>
    </SideFrame>
  );
}

function Details({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const { role } = useSession();
  return (
    <Stack gap="md">
      <Facts delivery={delivery} />
      <Actions delivery={delivery} />
      <DeliveryProgress delivery={delivery} />
      {delivery.body === null ? (
        <Text c="dimmed">{t("deliveries.erased")}</Text>
      ) : (
        <EventBody
          body={delivery.body}
          title={t("deliveries.body")}
          actions={role === "admin" && <CurlButton deliveryId={delivery.id} />}
        />
      )}
      <div>
        <Title order={3} mb="xs">
          {t("deliveries.attempts")}
        </Title>
        <AttemptPages delivery={delivery} />
      </div>
    </Stack>
  );
}

/** The contact, the time and the event id of a delivery, in one line. */
function Facts({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const subject = deliverySubject(delivery);
  const { created_at: at, event_id: eventId } = delivery;
  return (
    <div className={styles["facts"]}>
      {subject !== null && (
        <Anchor component={Link} to={subject.to} size="xs" dir="auto">
          {subject.name ?? t("deliveries.conversation", { id: delivery.conversation_id })}
        </Anchor>
      )}
      <time dateTime={at} title={exactTime(at, account.time_zone)}>
        {dayAndSeconds(at, account.time_zone)}
      </time>
      <Group gap={2} wrap="nowrap">
        <Text span size="xs" ff="monospace" title={eventId}>
          {`${eventId.slice(0, 8)}…${eventId.slice(-4)}`}
        </Text>
        <CopyAction value={eventId} label={t("deliveries.event_id")} />
      </Group>
    </div>
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
            leftSection={<IconRefresh size={15} aria-hidden />}
            pending={action.isPending}
            onClick={() => action.mutate({ step: "retry" }, { onError })}
          >
            {t("deliveries.retry")}
          </PendingButton>
        )}
        {finished && (
          <PendingButton
            leftSection={<IconRefresh size={15} aria-hidden />}
            pending={action.isPending}
            onClick={() => action.mutate({ step: "redeliver" }, { onError })}
          >
            {t("deliveries.redeliver")}
          </PendingButton>
        )}
        {!finished && (
          <Button
            variant="default"
            aria-expanded={cancelling}
            onClick={() => setCancelling(!cancelling)}
          >
            {t("deliveries.cancel")}
          </Button>
        )}
        {delivery.workflow_url !== null && (
          <Button
            component="a"
            href={delivery.workflow_url}
            target="_blank"
            rel="noreferrer"
            variant="subtle"
            color="gray"
            rightSection={<IconExternalLink size={14} aria-hidden />}
          >
            {t("deliveries.temporal")}
          </Button>
        )}
      </Group>
      {cancelling && !finished && (
        <CancelForm
          pending={action.isPending}
          onCancel={(reason) => action.mutate({ step: "cancel", reason }, { onError })}
        />
      )}
    </Stack>
  );
}

interface CancelFormProps {
  pending: boolean;
  onCancel: (reason: string) => void;
}

function CancelForm({ pending, onCancel }: CancelFormProps) {
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
        <PendingButton type="submit" color="bad" pending={pending} disabled={reason.trim() === ""}>
          {t("deliveries.cancel")}
        </PendingButton>
      </Group>
    </form>
  );
}
