import { Button, Group, Menu, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEdit, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { savedRowsQuery, useDeleteRow, type SavedRow, type SavedRows } from "./saved-rows-api.ts";

interface SavedRowsProps<Row extends SavedRow, Body> {
  rows: SavedRows<Row, Body>;
  /** Anchor of the section. */
  id: string;
  nameOf: (row: Row) => string;
  /** Columns between the name and the owner: a title, and the content of a row. */
  columns: { title: string; cell: (row: Row) => ReactNode }[];
  /** Form of a row; of a new one where the row is null. */
  form: (row: Row | null, onClose: () => void) => ReactNode;
}

/** Section of the settings with the canned answers, or the macros, of the account and of the user. */
export function SavedRowsSection<Row extends SavedRow, Body>(props: SavedRowsProps<Row, Body>) {
  const { rows, id, form } = props;
  const { kind } = rows;
  const { t } = useTranslation();
  const [adding, add] = useDisclosure(false);
  const [editing, setEditing] = useState<Row | null>(null);
  const [offset, setOffset] = useState(0);
  const page = useQuery(savedRowsQuery(rows, offset));
  return (
    <Paper withBorder p="lg" id={id} component="section">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{t(`${kind}.title`)}</Title>
          {(page.data?.meta.total ?? 0) > 0 && (
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={add.open}
            >
              {t(`${kind}.add`)}
            </Button>
          )}
        </Group>
        <QueryState query={page} rows={2}>
          {({ data, meta }) =>
            meta.total === 0 ? (
              <EmptyList
                title={t(`${kind}.empty`)}
                text={t(`${kind}.empty_text`)}
                first={t(`${kind}.add_first`)}
                onFirst={add.open}
              />
            ) : (
              <>
                <Text size="sm" c="dimmed">
                  {t(`${kind}.text`)}
                </Text>
                <Rows {...props} data={data} onEdit={setEditing} />
                <Pager meta={meta} onMove={setOffset} />
              </>
            )
          }
        </QueryState>
      </Stack>
      {adding && form(null, add.close)}
      {/* It outlives its row, which others may move to another page. */}
      {editing !== null && form(editing, () => setEditing(null))}
    </Paper>
  );
}

interface OnEdit<Row> {
  onEdit: (row: Row) => void;
}

function Rows<Row extends SavedRow, Body>({
  data,
  ...props
}: SavedRowsProps<Row, Body> & OnEdit<Row> & { data: Row[] }) {
  const { rows, columns } = props;
  const { t } = useTranslation();
  return (
    <WideTable
      label={t(`${rows.kind}.title`)}
      minWidth={560}
      heads={[t(`${rows.kind}.name`), ...columns.map(({ title }) => title), t("saved.owner"), ""]}
    >
      {data.map((row) => (
        <SavedRowLine key={row.id} {...props} row={row} />
      ))}
    </WideTable>
  );
}

/** Row that opens its form. An agent only reads a row of the account. */
function SavedRowLine<Row extends SavedRow, Body>(
  props: SavedRowsProps<Row, Body> & OnEdit<Row> & { row: Row },
) {
  const { rows, row, nameOf, columns, onEdit } = props;
  const { t } = useTranslation();
  const { role } = useSession();
  const [deleting, remove] = useDisclosure(false);
  const canChange = !row.shared || role === "admin";
  const name = nameOf(row);
  const shownName = (
    <Text fw={500} maw={180} truncate dir="auto" title={name}>
      {name}
    </Text>
  );
  return (
    <Table.Tr>
      <Table.Td>
        {canChange ? <RowButton onClick={() => onEdit(row)}>{shownName}</RowButton> : shownName}
      </Table.Td>
      {columns.map(({ title, cell }) => (
        <Table.Td key={title} maw={320}>
          {cell(row)}
        </Table.Td>
      ))}
      <Table.Td>
        <Text style={{ whiteSpace: "nowrap" }}>
          {t(row.shared ? "saved.shared" : "saved.personal")}
        </Text>
      </Table.Td>
      <Table.Td ta="end">
        {canChange && (
          <RowMenu name={name}>
            <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={() => onEdit(row)}>
              {t("saved.edit")}
            </Menu.Item>
            <Menu.Item
              color="bad"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={remove.open}
            >
              {t("saved.delete")}
            </Menu.Item>
          </RowMenu>
        )}
        {deleting && <Deletion rows={rows} row={row} name={name} onClose={remove.close} />}
      </Table.Td>
    </Table.Tr>
  );
}

interface DeletionProps<Row extends SavedRow, Body> {
  rows: SavedRows<Row, Body>;
  row: Row;
  name: string;
  onClose: () => void;
}

function Deletion<Row extends SavedRow, Body>(props: DeletionProps<Row, Body>) {
  const { rows, row, name, onClose } = props;
  const { t } = useTranslation();
  const deletion = useDeleteRow(rows, row.id);
  return (
    <ConfirmModal
      title={t("saved.delete_title", { name })}
      text={t(`${rows.kind}.${row.shared ? "delete_shared" : "delete_personal"}`)}
      action={t("saved.delete")}
      keep={t("common.keep")}
      color="bad"
      pending={deletion.isPending}
      onClose={onClose}
      onConfirm={() =>
        deletion.mutate(undefined, {
          onSuccess: () => tellDone(t("saved.deleted", { name })),
          onError: (error) => tellFailure(t("saved.not_deleted", { name }), error),
          onSettled: onClose,
        })
      }
    />
  );
}
