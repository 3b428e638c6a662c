import { ActionIcon, Button, List, Menu } from "@mantine/core";
import { IconDots, IconKey, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { reconnectPath } from "../../paths.ts";
import { useCheck, useDisconnect, type Channel } from "./api.ts";
import { channelName } from "../../lib/channel-words.ts";
import { EditChannelModal } from "./edit-channel-modal.tsx";

/** Buttons of a channel's page: check now, a new token, and a menu that edits and disconnects. */
export function ChannelActions({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const check = useCheck(channel.id);
  const isOff = channel.state === "disconnected";
  const needsToken = isOff || channel.state === "needs_reauth";
  return (
    <>
      {!isOff && (
        <PendingButton
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          pending={check.isPending}
          onClick={() =>
            check.mutate(undefined, {
              onSuccess: () => tellDone(t("channels.checked")),
              onError: (error) => tellFailure(t("channels.check_failed"), error),
            })
          }
        >
          {t("channels.check")}
        </PendingButton>
      )}
      <Button
        component={Link}
        to={reconnectPath(channel.id)}
        variant={needsToken ? "filled" : "default"}
        leftSection={<IconKey size={16} aria-hidden />}
      >
        {t(isOff ? "channels.connect_again" : "channels.reconnect")}
      </Button>
      <MoreActions channel={channel} />
    </>
  );
}

function MoreActions({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"edit" | "disconnect" | null>(null);
  const close = (): void => setOpen(null);
  const name = channelName(channel);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t("people.actions", { name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpen("edit")}>{t("channels.edit")}</Menu.Item>
          {channel.state !== "disconnected" && (
            <Menu.Item color="bad" onClick={() => setOpen("disconnect")}>
              {t("channels.disconnect")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === "edit" && <EditChannelModal channel={channel} onClose={close} />}
      {open === "disconnect" && <DisconnectModal channel={channel} onClose={close} />}
    </>
  );
}

/** Says what stays and what goes, and asks for a confirmation. */
function DisconnectModal({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation();
  const disconnect = useDisconnect(channel.id);
  return (
    <ConfirmModal
      title={t("channels.disconnect_ask", { name: channelName(channel) })}
      text={t("channels.disconnect_text")}
      action={t("channels.disconnect")}
      keep={t("common.keep")}
      color="bad"
      pending={disconnect.isPending}
      onConfirm={() =>
        disconnect.mutate(undefined, {
          onSuccess: () => {
            onClose();
            tellDone(t("channels.disconnected"));
          },
          onError: (error) => tellFailure(t("channels.not_disconnected"), error),
        })
      }
      onClose={onClose}
    >
      <List size="sm" spacing={4}>
        {(["goes_token", "goes_messages", "stays", "stays_again"] as const).map((one) => (
          <List.Item key={one}>{t(`channels.${one}`)}</List.Item>
        ))}
      </List>
    </ConfirmModal>
  );
}
