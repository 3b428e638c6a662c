import { Menu, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArchive, IconCheck, IconEdit, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { KnowledgeState } from "../../../../core/model/agent.ts";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { Moment } from "../../components/moment.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { Status, type Tone } from "../../components/status.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useDeleteItem, useSetItemState, type Item } from "../../lib/knowledge.ts";

const tones: Record<KnowledgeState, Tone> = { suggested: "warn", approved: "ok", archived: "gray" };

interface ItemTableProps {
  rows: Item[];
  /** Opens the form of an item, which outlives its row. */
  onEdit: (item: Item) => void;
}

/** Table of knowledge items. A row opens its form. */
export function ItemTable({ rows, onEdit }: ItemTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("knowledge.items")}
      minWidth={820}
      heads={[
        t("knowledge.question"),
        t("knowledge.answer"),
        t("settings.language"),
        t("agent.state"),
        t("knowledge.changed"),
        "",
      ]}
    >
      {rows.map((item) => (
        <ItemRow key={item.id} item={item} onEdit={() => onEdit(item)} />
      ))}
    </WideTable>
  );
}

function ItemRow({ item, onEdit }: { item: Item; onEdit: () => void }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [deleting, remove] = useDisclosure(false);
  // Members without the role propose. Only admins touch items that answer customers.
  const canChange = role === "admin" || item.state === "suggested";
  const question = (
    <Text span fw={500} display="block" truncate dir="auto" title={item.question}>
      {item.question}
    </Text>
  );
  return (
    <Table.Tr>
      <Table.Td maw={300}>
        {canChange ? <RowButton onClick={onEdit}>{question}</RowButton> : question}
      </Table.Td>
      <Table.Td maw={360}>
        <Text size="sm" lineClamp={1} dir="auto">
          {item.answer}
        </Text>
      </Table.Td>
      <Table.Td>{t(`canned.locale.${item.language}`)}</Table.Td>
      <Table.Td>
        <Status tone={tones[item.state]}>{t(`knowledge.states.${item.state}`)}</Status>
      </Table.Td>
      <Table.Td>
        <Moment at={item.updated_at} />
      </Table.Td>
      <Table.Td ta="end">
        {canChange && <ItemMenu item={item} onEdit={onEdit} onDelete={remove.open} />}
        {deleting && <Deletion item={item} onClose={remove.close} />}
      </Table.Td>
    </Table.Tr>
  );
}

interface ItemMenuProps {
  item: Item;
  onEdit: () => void;
  onDelete: () => void;
}

function ItemMenu({ item, onEdit, onDelete }: ItemMenuProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const setState = useSetItemState(item.id);
  const onError = (error: unknown): void => tellFailure(t("knowledge.not_changed"), error);
  return (
    <RowMenu name={item.question}>
      <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={onEdit}>
        {t("knowledge.edit")}
      </Menu.Item>
      {role === "admin" && item.state !== "approved" && (
        <Menu.Item
          leftSection={<IconCheck size={16} aria-hidden />}
          onClick={() => setState.mutate("approved", { onError })}
        >
          {t("knowledge.approve")}
        </Menu.Item>
      )}
      {role === "admin" && item.state !== "archived" && (
        <Menu.Item
          leftSection={<IconArchive size={16} aria-hidden />}
          onClick={() => setState.mutate("archived", { onError })}
        >
          {t("knowledge.archive")}
        </Menu.Item>
      )}
      <Menu.Item color="bad" leftSection={<IconTrash size={16} aria-hidden />} onClick={onDelete}>
        {t("knowledge.delete")}
      </Menu.Item>
    </RowMenu>
  );
}

function Deletion({ item, onClose }: { item: Item; onClose: () => void }) {
  const { t } = useTranslation();
  const deletion = useDeleteItem(item.id);
  return (
    <ConfirmModal
      title={t("agent.delete_title", { name: item.question })}
      text={t("knowledge.delete_text")}
      action={t("knowledge.delete")}
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
