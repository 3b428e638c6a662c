import { Alert, Button, Group, Menu, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEdit, IconEye, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { turnWord } from "../../components/agent/turn-words.ts";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { Status } from "../../components/status.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useNow } from "../../lib/time.ts";
import { providersQuery, useDeleteProvider, type Provider } from "./api.ts";
import { ProviderModal } from "./provider-modal.tsx";

/** Section with the model providers, and who reads the texts of customers. */
export function Providers() {
  const { t } = useTranslation();
  const query = useQuery(providersQuery);
  const [adding, add] = useDisclosure(false);
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{t("agent.providers")}</Title>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={add.open}
          >
            {t("agent.add_provider")}
          </Button>
        </Group>
        <QueryState query={query} rows={2}>
          {(rows) => (
            <>
              <Alert color="info" icon={<IconEye size={18} aria-hidden />}>
                {t(rows.length === 0 ? "agent.nobody_sees" : "agent.provider_sees")}
              </Alert>
              {rows.length > 0 && (
                <WideTable
                  label={t("agent.providers")}
                  minWidth={520}
                  heads={[
                    t("agent.provider"),
                    t("agent.model"),
                    t("agent.key"),
                    t("agent.state"),
                    "",
                  ]}
                >
                  {rows.map((row) => (
                    <ProviderRow key={row.id} row={row} />
                  ))}
                </WideTable>
              )}
            </>
          )}
        </QueryState>
      </Stack>
      {adding && <ProviderModal row={null} onClose={add.close} />}
    </Paper>
  );
}

function ProviderRow({ row }: { row: Provider }) {
  const { t } = useTranslation();
  const [editing, edit] = useDisclosure(false);
  const [deleting, remove] = useDisclosure(false);
  const now = useNow(30_000);
  const isFailing = row.failing_until !== null && new Date(row.failing_until).getTime() > now;
  const name = `${turnWord("engine", row.kind)}, ${row.model}`;
  return (
    <Table.Tr>
      <Table.Td>
        <RowButton onClick={edit.open}>{turnWord("engine", row.kind)}</RowButton>
      </Table.Td>
      <Table.Td>
        <Text maw={180} truncate title={row.model}>
          {row.model}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text span ff="monospace" size="xs">
          {row.key_hint === "" ? "••••" : `••••${row.key_hint}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <Status tone={isFailing ? "bad" : "ok"}>
          {isFailing ? turnWord("failure", row.failure ?? "unavailable") : t("agent.ready")}
        </Status>
      </Table.Td>
      <Table.Td ta="end">
        <RowMenu name={name}>
          <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={edit.open}>
            {t("agent.edit_provider")}
          </Menu.Item>
          <Menu.Item
            color="bad"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={remove.open}
          >
            {t("agent.delete_provider")}
          </Menu.Item>
        </RowMenu>
        {editing && <ProviderModal row={row} onClose={edit.close} />}
        {deleting && <Deletion id={row.id} name={name} onClose={remove.close} />}
      </Table.Td>
    </Table.Tr>
  );
}

interface DeletionProps {
  id: number;
  name: string;
  onClose: () => void;
}

function Deletion({ id, name, onClose }: DeletionProps) {
  const { t } = useTranslation();
  const deletion = useDeleteProvider(id);
  return (
    <ConfirmModal
      title={t("agent.delete_title", { name })}
      text={t("agent.delete_text")}
      action={t("agent.delete_provider")}
      keep={t("agent.keep")}
      color="bad"
      pending={deletion.isPending}
      onClose={onClose}
      onConfirm={() =>
        deletion.mutate(undefined, {
          onSuccess: onClose,
          onError: (error) => tellFailure(t("agent.not_deleted"), error),
        })
      }
    />
  );
}
