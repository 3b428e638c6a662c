import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { notificationStep, notificationTarget } from "../../lib/notifications.ts";
import { useSession } from "../../lib/session.ts";
import { useEnableSubscription, type NotificationGroup } from "./api.ts";

interface RemedyProps {
  group: NotificationGroup;
  /** Marks the cause as read, because the opened page shows all of it. */
  onOpen: () => void;
}

/** Action for a cause: enable the subscription, or open the subject. */
export function ResolveAction({ group, onOpen }: RemedyProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const { newest, subscription_state: state } = group;
  const path = notificationTarget(newest);
  const isGone =
    newest.conversation_id === null ? state === "deleted" : group.conversation_status === null;
  if (path === null || isGone) return null;
  const { subscription_id: id, kind } = newest;
  if (kind === "subscription_disabled" && state === "disabled" && role === "admin" && id !== null) {
    return <EnableButton id={id} onDone={onOpen} />;
  }
  if (group.conversation_status === "handed_off" && notificationStep(newest) === "answer") {
    return (
      <Button component={Link} to={path} onClick={onOpen} size="xs" variant="default">
        {t("bell.answer")}
      </Button>
    );
  }
  return (
    <Button
      component={Link}
      to={path}
      onClick={onOpen}
      size="xs"
      variant="default"
      aria-label={t(`notices.open.${whatOf(newest)}`)}
    >
      {t("bell.open")}
    </Button>
  );
}

function whatOf(newest: NotificationGroup["newest"]) {
  const { conversation_id, appointment_id, delivery_id, kind } = newest;
  if (conversation_id !== null) return "conversation";
  if (appointment_id !== null) return "appointment";
  if (kind === "calendar_disconnected") return "calendar";
  if (kind === "agent_budget" || kind === "agent_provider_failing") return "agent";
  if (kind === "channel_trouble" || kind === "channel_token_expiring") return "channel";
  return delivery_id === null ? "subscription" : "delivery";
}

function EnableButton({ id, onDone }: { id: number; onDone: () => void }) {
  const { t } = useTranslation();
  const enable = useEnableSubscription(id);
  const go = (): void =>
    // The button may be unmounted before the answer arrives, so hook callbacks would not run.
    void enable.mutateAsync(undefined).then(
      () => {
        tellDone(t("notices.enabled"));
        onDone();
      },
      (error: unknown) => tellFailure(t("notices.not_enabled"), error),
    );
  return (
    <PendingButton size="xs" variant="default" pending={enable.isPending} onClick={go}>
      {t("notices.enable")}
    </PendingButton>
  );
}
