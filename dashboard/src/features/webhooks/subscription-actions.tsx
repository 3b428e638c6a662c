import { ActionIcon, Group, Menu } from "@mantine/core";
import { IconDots, IconSend } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useUrlFilters } from "../../lib/url-filters.ts";
import { paths } from "../../paths.ts";
import {
  useChangeSubscription,
  useDeleteSubscription,
  usePauseOrResume,
  useRotateSecret,
  type Subscription,
} from "./api.ts";
import { useShownTest } from "./use-shown-test.ts";
import styles from "./webhooks.module.css";

/** Actions of an admin on a subscription: a test button, and a menu. */
export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const test = useShownTest(subscription.id);
  return (
    <Group gap="xs">
      <PendingButton
        leftSection={<IconSend size={16} aria-hidden />}
        pending={test.isPending}
        onClick={test.send}
        aria-label={t("webhooks.send_test")}
        className={styles["sendTest"] ?? ""}
      >
        <span>{t("webhooks.send_test")}</span>
      </PendingButton>
      <MoreActions subscription={subscription} />
    </Group>
  );
}

type Asked = "rotate" | "delete" | "disable";

function MoreActions({ subscription: { id, state, name } }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [, set] = useUrlFilters(["replay"]);
  const pauseOrResume = usePauseOrResume(id);
  const change = useChangeSubscription(id);
  const onError = (error: unknown): void => tellFailure(t("webhooks.not_changed"), error);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t("people.actions", { name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => set("replay", "new")}>{t("webhooks.replay")}</Menu.Item>
          <Menu.Item onClick={() => setAsked("rotate")}>{t("webhooks.rotate")}</Menu.Item>
          <Menu.Divider />
          {state === "active" && (
            <Menu.Item onClick={() => pauseOrResume.mutate("pause", { onError })}>
              {t("webhooks.pause")}
            </Menu.Item>
          )}
          {state === "paused" && (
            <Menu.Item onClick={() => pauseOrResume.mutate("resume", { onError })}>
              {t("webhooks.resume")}
            </Menu.Item>
          )}
          {state === "disabled" ? (
            <Menu.Item onClick={() => change.mutate({ state: "active" }, { onError })}>
              {t("webhooks.enable")}
            </Menu.Item>
          ) : (
            <Menu.Item onClick={() => setAsked("disable")}>{t("webhooks.disable")}</Menu.Item>
          )}
          <Menu.Item color="bad" onClick={() => setAsked("delete")}>
            {t("webhooks.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked !== null && (
        <AskModal id={id} name={name} asked={asked} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

interface AskModalProps {
  id: number;
  name: string;
  asked: Asked;
  onClose: () => void;
}

/** Dialog that describes an action and asks for confirmation. A new secret is then shown once. */
export function AskModal({ id, name, asked, onClose }: AskModalProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const rotate = useRotateSecret(id);
  const remove = useDeleteSubscription(id);
  const change = useChangeSubscription(id);
  const onError = (error: unknown): void => tellFailure(t("webhooks.not_changed"), error);
  const go = (): void => {
    if (asked === "rotate") rotate.mutate(undefined, { onError });
    if (asked === "disable") {
      change.mutate({ state: "disabled" }, { onError, onSuccess: onClose });
    }
    if (asked === "delete") {
      // The deletion may unmount this dialog before the answer arrives, so hook callbacks would not
      // run.
      void remove.mutateAsync(undefined).then(async () => await navigate(paths.webhooks), onError);
    }
  };
  if (rotate.data !== undefined) {
    return (
      <OneTimeSecretModal
        title={t("webhooks.rotated")}
        text={t("webhooks.secret_text")}
        label={t("webhooks.secret")}
        value={rotate.data}
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmModal
      title={t(`ask.${asked}`, { name })}
      text={t(`webhooks.${asked}_text`)}
      action={t(`webhooks.${asked}`)}
      keep={asked === "delete" ? t("common.keep") : undefined}
      color={asked === "rotate" ? undefined : "bad"}
      pending={rotate.isPending || remove.isPending || change.isPending}
      onConfirm={go}
      onClose={onClose}
    />
  );
}
