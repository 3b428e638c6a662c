import { List, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useDisconnect, type Connection } from "./api.ts";

interface DisconnectModalProps {
  connection: Connection;
  name: string;
  onClose: () => void;
}

/** Says what stays and what goes, and asks for a confirmation. */
export function DisconnectModal({ connection, name, onClose }: DisconnectModalProps) {
  const { t } = useTranslation();
  const { id, provider } = connection;
  const disconnect = useDisconnect(id);
  return (
    <ConfirmModal
      title={t("calendars.disconnect_title", { name })}
      text={t("calendars.disconnect_text")}
      action={t("calendars.disconnect_submit")}
      keep={t("common.keep")}
      color="bad"
      pending={disconnect.isPending}
      onConfirm={() =>
        disconnect.mutate(undefined, {
          onSuccess: () => {
            onClose();
            tellDone(t("calendars.disconnected"));
          },
          onError: (error) => tellFailure(t("calendars.not_disconnected"), error),
        })
      }
      onClose={onClose}
    >
      <div>
        <Text size="sm" fw={500}>
          {t("calendars.what_stays")}
        </Text>
        <List size="sm" spacing={4} mb="sm">
          <List.Item>{t("calendars.stays.appointments")}</List.Item>
          <List.Item>{t(`calendars.stays.events_${provider}`)}</List.Item>
        </List>
        <Text size="sm" fw={500}>
          {t("calendars.what_goes")}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{t("calendars.goes.busy")}</List.Item>
          <List.Item>{t(`calendars.goes.grant_${provider}`)}</List.Item>
        </List>
      </div>
    </ConfirmModal>
  );
}
