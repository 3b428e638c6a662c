import { Alert, Anchor, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPause } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { codeText } from "../../lib/code-text.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { Link } from "react-router";
import { deliveryPath } from "../../paths.ts";
import { answerWords, fixOf } from "./answer.ts";
import { useSwitchSubscription, type Subscription, type SubscriptionStats } from "./api.ts";

/** Last error of a subscription that fails, in words, with the fix. */
export function FailingNotice({ stats }: { stats: SubscriptionStats }) {
  const { t } = useTranslation();
  const { last_error: error, subscription_id: id } = stats;
  if (error === null) return null;
  return (
    <Alert
      color="bad"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("webhooks.failing_title", { answer: answerWords(error) })}
    >
      <Text>
        {t(`webhooks.fix.${fixOf(error)}`)}{" "}
        <Anchor
          component={Link}
          to={deliveryPath(id, error.delivery_id)}
          inherit
          underline="always"
        >
          {t("webhooks.failing_open")}
        </Anchor>
      </Text>
    </Alert>
  );
}

/** Reason why a subscription is paused or disabled, with a button for admins to end it. */
export function StateNotice({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const change = useSwitchSubscription(subscription);
  const { state, disabled_reason: reason } = subscription;
  if (state !== "disabled" && state !== "paused") return null;
  const disabled = state === "disabled";
  return (
    <Alert
      color={disabled ? "bad" : "gray"}
      icon={disabled ? <IconAlertTriangle aria-hidden /> : <IconPlayerPause aria-hidden />}
    >
      <Group justify="space-between">
        <Text size="sm" flex={1} miw={220}>
          {disabled
            ? codeText("disabled_reason", reason ?? "disabled_by_admin")
            : t("webhooks.paused_text")}
        </Text>
        {role === "admin" && (
          <PendingButton
            size="xs"
            pending={change.isPending}
            onClick={() =>
              change.mutate(undefined, {
                onError: (error) => tellFailure(t("webhooks.not_changed"), error),
              })
            }
          >
            {t(disabled ? "webhooks.enable" : "webhooks.resume")}
          </PendingButton>
        )}
      </Group>
    </Alert>
  );
}
