import { ActionIcon, Badge, Menu, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBan, IconCircleCheck, IconDots } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { Moment } from "../../components/moment.tsx";
import { OnceModal } from "../../components/once-modal.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useNow } from "../../lib/time.ts";
import { useRevokeKey, useRotateKey, type ApiKey } from "./api.ts";

/** One key: what it may, whether it is open, when it was used. */
export function KeyRow({ row }: { row: ApiKey }) {
  const { t } = useTranslation();
  const now = useNow(30_000);
  const expired = row.expires_at !== null && new Date(row.expires_at).getTime() <= now;
  const state = row.revoked_at !== null ? "revoked" : expired ? "expired" : "open";
  const StateIcon = state === "open" ? IconCircleCheck : IconBan;
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={500}>{row.name}</Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {row.prefix}…{row.last_four}
        </Text>
      </Table.Td>
      <Table.Td>
        {row.scopes.map((scope) => (
          <Text key={scope} size="xs">
            {t(`scope.${scope.replace(":", "_") as "bot_manage"}`)}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <Badge
          color={state === "open" ? "green" : "gray"}
          leftSection={<StateIcon size={12} aria-hidden />}
        >
          {t(`keys.${state}`)}
        </Badge>
        {state === "open" && row.expires_at !== null && (
          <Text size="xs" c="dimmed">
            {t("people.expires")}: <Moment at={row.expires_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {row.last_used_at === null ? t("keys.never") : <Moment at={row.last_used_at} />}
      </Table.Td>
      <Table.Td ta="right">{state === "open" && <KeyActions row={row} />}</Table.Td>
    </Table.Tr>
  );
}

function KeyActions({ row: { id, name } }: { row: ApiKey }) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const rotate = useRotateKey();
  const onError = (error: unknown): void => tellFailure(t("keys.not_changed"), error);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("people.actions", { name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => rotate.mutate(id, { onError })}>{t("keys.rotate")}</Menu.Item>
          <Menu.Item color="red" onClick={ask.open}>
            {t("keys.revoke")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asking && <RevokeModal id={id} name={name} onClose={ask.close} />}
      {rotate.data !== undefined && (
        <OnceModal
          title={t("keys.rotated", { name })}
          text={t("keys.rotated_text")}
          label={t("keys.key")}
          value={rotate.data.key}
          onClose={rotate.reset}
        />
      )}
    </>
  );
}

interface RevokeModalProps {
  id: number;
  name: string;
  onClose: () => void;
}

function RevokeModal({ id, name, onClose }: RevokeModalProps) {
  const { t } = useTranslation();
  const revoke = useRevokeKey();
  const onError = (error: unknown): void => tellFailure(t("keys.not_changed"), error);
  return (
    <ConfirmModal
      title={t("keys.revoke_title", { name })}
      text={t("keys.revoke_text")}
      action={t("keys.revoke")}
      color="red"
      pending={revoke.isPending}
      onConfirm={() => revoke.mutate(id, { onError, onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
