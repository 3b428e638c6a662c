import { ActionIcon, Button, Group, Text, Title, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCheck, IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { isOpenDelivery } from "../../../../core/model/workflow/delivery.ts";
import { Chip } from "../../components/chip.tsx";
import { ConversationStatus } from "../../components/conversation-status.tsx";
import { Moment } from "../../components/moment.tsx";
import { NotificationMark } from "../../components/notification-mark.tsx";
import styles from "../../components/notification.module.css";
import { DeliveryStatus, SubscriptionStatus } from "../../components/states.tsx";
import { useMarkRead, useNotificationWords } from "../../lib/notifications.ts";
import type { NotificationGroup } from "./api.ts";
import { GroupRows } from "./group-rows.tsx";
import { ResolveAction } from "./resolve-action.tsx";

/** Row of a cause: newest notification, present state, fix, and earlier notifications. */
export function GroupItem({ group }: { group: NotificationGroup }) {
  const { t } = useTranslation();
  const [opened, earlier] = useDisclosure(false);
  const { newest, count, unread } = group;
  const words = useNotificationWords(newest);
  const markRead = useMarkRead();
  const readGroup = (): void =>
    markRead.mutate({ group_key: group.group_key, through_id: newest.id });
  const readLabel = t("notices.read_label", { title: words.title });
  return (
    <>
      <div className={styles["row"]} data-unread={unread > 0 || undefined}>
        <NotificationMark row={newest} />
        <div className={styles["words"]}>
          <Title order={2} className={styles["title"] ?? ""} dir="auto" title={words.title}>
            {words.title}
          </Title>
          <span className={styles["text"]} title={words.body}>
            {words.body}
          </span>
        </div>
        <div className={styles["actions"]}>
          <Unread group={group} />
          <NowBadge group={group} />
          <span className={styles["time"]}>
            <Moment at={newest.created_at} />
          </span>
          {count > 1 && <Earlier count={count} opened={opened} onToggle={earlier.toggle} />}
          <ResolveAction group={group} onOpen={readGroup} />
          {unread > 0 && (
            <Tooltip label={t("notices.read")}>
              <ActionIcon variant="subtle" color="gray" aria-label={readLabel} onClick={readGroup}>
                <IconCheck size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
      </div>
      {opened && (
        <div className={styles["rows"]}>
          <GroupRows groupKey={group.group_key} label={words.title} />
        </div>
      )}
    </>
  );
}

interface EarlierProps {
  count: number;
  opened: boolean;
  onToggle: () => void;
}

/** Button that shows every notification of the cause. */
function Earlier({ count, opened, onToggle }: EarlierProps) {
  const { t } = useTranslation();
  const Chevron = opened ? IconChevronUp : IconChevronDown;
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      aria-expanded={opened}
      aria-label={t(opened ? "notices.hide" : "notices.show", { count })}
      rightSection={<Chevron size={14} aria-hidden />}
      onClick={onToggle}
    >
      {count}
    </Button>
  );
}

/** Number of unread notifications. For a single one the dot of the row is enough to see. */
function Unread({ group: { count, unread } }: { group: NotificationGroup }) {
  const { t } = useTranslation();
  if (unread === 0) return null;
  const words = t("notices.unread", { count: unread });
  if (count === 1) return <VisuallyHidden>{words}</VisuallyHidden>;
  return <Chip hue="indigo">{words}</Chip>;
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
