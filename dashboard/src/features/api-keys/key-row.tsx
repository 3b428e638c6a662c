import { Menu, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { Status } from "../../components/status.tsx";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { Moment } from "../../components/moment.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useNow } from "../../lib/time.ts";
import { useRevokeKey, type ApiKey } from "./api.ts";

/** Age in ms from which an unused key gets a warning: perhaps the key is not needed. */
const unusedMs = 86_400_000;

interface KeyRowProps {
  row: ApiKey;
  /** True after a rotation. A rotated key cannot be rotated again; its successor can. */
  hasSuccessor: boolean;
  onRotate: () => void;
}

/** Row of a key: name, scopes, state and last use. */
export function KeyRow({ row, hasSuccessor, onRotate }: KeyRowProps) {
  const { t } = useTranslation();
  const now = useNow(30_000);
  const expired = row.expires_at !== null && new Date(row.expires_at).getTime() <= now;
  const state = row.revoked_at !== null ? "revoked" : expired ? "expired" : "open";
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
        <Status tone={state === "open" ? "ok" : "gray"}>{t(`keys.${state}`)}</Status>
        {state === "open" && row.expires_at !== null && (
          <Text size="xs" c="dimmed">
            {t("people.expires")}: <Moment at={row.expires_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td maw={260}>
        {row.last_used_at === null ? (
          <NeverUsed open={state === "open"} ageMs={now - new Date(row.created_at).getTime()} />
        ) : (
          <Moment at={row.last_used_at} />
        )}
      </Table.Td>
      <Table.Td ta="right">
        {state === "open" && <KeyActions {...{ row, hasSuccessor, onRotate }} />}
      </Table.Td>
    </Table.Tr>
  );
}

function NeverUsed({ open, ageMs }: { open: boolean; ageMs: number }) {
  const { t } = useTranslation();
  if (!open || ageMs < unusedMs) return <Text size="sm">{t("keys.never")}</Text>;
  return (
    <>
      <Status tone="warn">{t("keys.never")}</Status>
      <Text size="xs" c="dimmed">
        {t("keys.never_text", { count: Math.floor(ageMs / unusedMs) })}
      </Text>
    </>
  );
}

function KeyActions({ row, hasSuccessor, onRotate }: KeyRowProps) {
  const { t } = useTranslation();
  const { id, name } = row;
  const [asking, ask] = useDisclosure(false);
  return (
    <>
      <RowMenu name={name}>
        {!hasSuccessor && <Menu.Item onClick={onRotate}>{t("keys.rotate")}</Menu.Item>}
        <Menu.Item color="bad" onClick={ask.open}>
          {t("keys.revoke")}
        </Menu.Item>
      </RowMenu>
      {asking && <RevokeModal id={id} name={name} onClose={ask.close} />}
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
      keep={t("common.keep")}
      color="bad"
      pending={revoke.isPending}
      onConfirm={() => revoke.mutate(id, { onError, onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
