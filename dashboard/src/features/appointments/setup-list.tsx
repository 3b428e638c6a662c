import { Button, Group, Menu, Paper, Stack, Switch, Text, Title } from "@mantine/core";
import { IconEdit, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { callApi } from "../../lib/api.ts";
import { useSession } from "../../lib/session.ts";
import { useAgendaStep } from "./agenda-api.ts";

interface SetupListProps {
  title: string;
  add: string;
  onAdd: () => void;
  archived: boolean;
  onArchived: (archived: boolean) => void;
  children: ReactNode;
}

/** List of agendas or services with a header: those in use, or the archived ones. */
export function SetupList(props: SetupListProps) {
  const { title, add, onAdd, archived, onArchived, children } = props;
  const { t } = useTranslation();
  const { role } = useSession();
  return (
    // Takes the focus after a dialog whose row has disappeared.
    <section aria-label={title} tabIndex={-1}>
      <Group mb="sm" justify="space-between">
        <Title order={2}>{title}</Title>
        <Group gap="sm">
          <Switch
            label={t("setup.archived")}
            checked={archived}
            onChange={({ currentTarget }) => onArchived(currentTarget.checked)}
          />
          {role === "admin" && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={onAdd}
            >
              {add}
            </Button>
          )}
        </Group>
      </Group>
      <Stack gap="xs">{children}</Stack>
    </section>
  );
}

type SetupPath = "/resources" | "/services";

interface SetupRowProps {
  /** Path of the rows in the API. */
  below: SetupPath;
  row: { id: number; name: string; archived_at: string | null };
  edit: string;
  onEdit: () => void;
  children: ReactNode;
}

/** Row of an agenda or a service, with actions for admins. */
export function SetupRow({ below, row, edit, onEdit, children }: SetupRowProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const { take, isPending } = useAgendaStep();
  const { id, name, archived_at: archivedAt } = row;
  return (
    <Paper withBorder p="sm" role="group" aria-label={name}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={4} miw={0}>
          <Text fw={500}>
            <bdi>{name}</bdi>
          </Text>
          {children}
        </Stack>
        {role === "admin" && archivedAt !== null && (
          <PendingButton
            size="xs"
            variant="default"
            pending={isPending}
            onClick={() =>
              take(() => callApi(`PATCH ${below}/:id`, { id, body: { archived: false } }))
            }
          >
            {t("setup.restore")}
          </PendingButton>
        )}
        {role === "admin" && archivedAt === null && (
          <Changes below={below} id={id} name={name} edit={edit} onEdit={onEdit} />
        )}
      </Group>
    </Paper>
  );
}

interface ChangesProps extends Pick<SetupRowProps, "below" | "edit" | "onEdit"> {
  id: number;
  name: string;
}

function Changes({ below, id, name, edit, onEdit }: ChangesProps) {
  const { t } = useTranslation();
  const { take, isPending } = useAgendaStep();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <RowMenu name={name}>
        <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={onEdit}>
          {edit}
        </Menu.Item>
        <Menu.Item
          color="bad"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t("setup.delete")}
        </Menu.Item>
      </RowMenu>
      {asking && (
        <ConfirmModal
          title={t("setup.delete_title", { name })}
          text={t("setup.delete_text")}
          action={t("setup.delete")}
          keep={t("common.keep")}
          color="bad"
          pending={isPending}
          onConfirm={() => take(() => callApi(`DELETE ${below}/:id`, { id }))}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
