import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { isOpenDelivery } from "../../../../core/model/workflow/delivery.ts";
import { Chip } from "../../components/chip.tsx";
import { Moment } from "../../components/moment.tsx";
import { DeliveryStatus, SubscriptionStatus } from "../../components/states.tsx";
import { ConversationStatus } from "../../components/conversation-status.tsx";
import { useMarkRead, useNotificationWords } from "../../lib/notifications.ts";
import type { NotificationGroup } from "./api.ts";
import { GroupRows } from "./group-rows.tsx";
import { ResolveAction } from "./resolve-action.tsx";

/** Card of a cause: newest notification, present state, action, and earlier notifications. */
export function GroupItem({ group }: { group: NotificationGroup }) {
  const { t } = useTranslation();
  const [opened, earlier] = useDisclosure(false);
  const { newest, count, unread } = group;
  const words = useNotificationWords(newest);
  const markRead = useMarkRead();
  const readGroup = (): void =>
    markRead.mutate({ group_key: group.group_key, through_id: newest.id });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Title order={2} fz="md" fw={unread > 0 ? 600 : 400}>
          {words.title}
        </Title>
        {unread > 0 && <Chip hue="indigo">{t("notices.unread", { count: unread })}</Chip>}
        <NowBadge group={group} />
      </Group>
      <Text size="sm">{words.body}</Text>
      <Text size="xs" c="dimmed">
        <Moment at={newest.created_at} />
      </Text>
      <Group gap="xs">
        <ResolveAction group={group} onOpen={readGroup} />
        {count > 1 && (
          <Button size="xs" variant="default" aria-expanded={opened} onClick={earlier.toggle}>
            {t(opened ? "notices.hide" : "notices.show", { count })}
          </Button>
        )}
        {unread > 0 && (
          <Button
            size="xs"
            variant="subtle"
            onClick={readGroup}
            aria-label={t("notices.read_label", { title: words.title })}
          >
            {t("notices.read")}
          </Button>
        )}
      </Group>
      {opened && <GroupRows groupKey={group.group_key} label={words.title} />}
    </Stack>
  );
}

/** Present state of the subject. A handoff may have been answered since, or a delivery replayed. */
function NowBadge({ group }: { group: NotificationGroup }) {
  if (group.conversation_status !== null)
    return <ConversationStatus status={group.conversation_status} />;
  if (group.delivery_state !== null) return <DeliveryNow group={group} />;
  if (group.subscription_state === null) return null;
  return <SubscriptionStatus state={group.subscription_state} />;
}

/** Badge of a delivery. A discarded delivery that is open again has been replayed. */
function DeliveryNow({ group: { newest, delivery_state: state } }: { group: NotificationGroup }) {
  const { t } = useTranslation();
  if (state === null) return null;
  const again = newest.kind === "delivery_discarded" && isOpenDelivery(state);
  return (
    <Group gap={6}>
      {again && (
        <Text span size="xs" c="dimmed">
          {t("notices.sent_again")}
        </Text>
      )}
      <DeliveryStatus state={state} />
    </Group>
  );
}
