import { Group, Table, Text, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ContactOrder } from "../../../../core/model/contact-list.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Chip } from "../../components/chip.tsx";
import { Moment } from "../../components/moment.tsx";
import { PhoneLink } from "../../components/phone-link.tsx";
import { Tick } from "../../components/tick.tsx";
import { RowLink, WideTable } from "../../components/wide-table.tsx";
import { duplicatesQuery, type ContactRow } from "../../lib/contact.ts";
import { useStageHue, type StageHue } from "../../lib/pipelines.ts";
import { useTeam } from "../../lib/team.ts";
import { contactPath } from "../../paths.ts";
import styles from "./contacts.module.css";
import type { Selection } from "./use-selection.ts";

interface ContactTableProps {
  rows: ContactRow[];
  order: ContactOrder;
  onOrder: (order: ContactOrder) => void;
  selection: Selection;
}

/** Table of contacts. A press on a row opens the contact; a box selects it for a bulk action. */
export function ContactTable({ rows, order, onOrder, selection }: ContactTableProps) {
  const { t } = useTranslation();
  const hueOfStage = useStageHue();
  const doubtful = useDuplicateIds();
  return (
    <WideTable
      label={t("contacts.title")}
      minWidth={960}
      hasTicks
      heads={[
        {
          label: t("contacts.select_all"),
          content: <SelectAll rows={rows} selection={selection} />,
        },
        t("common.name"),
        t("contacts.reach"),
        t("contacts.stage"),
        t("contact.tags"),
        t("contacts.assignee"),
        {
          label: t("contacts.last_activity"),
          content: <SortButton order={order} onOrder={onOrder} />,
          sort: order === "active" ? "descending" : "ascending",
          isEnd: true,
        },
      ]}
    >
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          selection={selection}
          hueOfStage={hueOfStage}
          isDoubtful={doubtful.has(row.id)}
        />
      ))}
    </WideTable>
  );
}

/** Contacts that may be the same person as another one. */
function useDuplicateIds(): Set<number> {
  const groups = useQuery(duplicatesQuery).data ?? [];
  return new Set(groups.flatMap(({ contacts }) => contacts.map(({ id }) => id)));
}

function SortButton({ order, onOrder }: Pick<ContactTableProps, "order" | "onOrder">) {
  const { t } = useTranslation();
  const Arrow = order === "active" ? IconArrowDown : IconArrowUp;
  return (
    <UnstyledButton
      className={styles["sort"] ?? ""}
      title={t(order === "active" ? "contacts.quiet_first" : "contacts.active_first")}
      onClick={() => onOrder(order === "active" ? "quiet" : "active")}
    >
      {t("contacts.last_activity")}
      <Arrow size={13} aria-hidden />
    </UnstyledButton>
  );
}

function SelectAll({ rows, selection }: Pick<ContactTableProps, "rows" | "selection">) {
  const { t } = useTranslation();
  const count = rows.filter(({ id }) => selection.has(id)).length;
  const isAll = count === rows.length && count > 0;
  return (
    <Tick
      label={t("contacts.select_all")}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      onChange={() => selection.set(rows, !isAll)}
    />
  );
}

interface RowProps extends Pick<ContactTableProps, "selection"> {
  row: ContactRow;
  hueOfStage: StageHue;
  isDoubtful: boolean;
}

function Row({ row, selection, hueOfStage, isDoubtful }: RowProps) {
  const { t } = useTranslation();
  const { id, name, channel, phone, email, stage } = row;
  const selected = selection.has(id);
  return (
    <Table.Tr aria-selected={selected}>
      <Table.Td>
        <Tick
          label={t("contacts.select", { name })}
          checked={selected}
          onChange={() => selection.set([row], !selected)}
        />
      </Table.Td>
      <Table.Td maw={320}>
        <Group gap="sm" wrap="nowrap">
          <Avatar id={id} name={name} size={28} {...(channel === null ? {} : { channel })} />
          <RowLink to={contactPath(id)}>
            <Text span inherit truncate display="block">
              {name}
            </Text>
          </RowLink>
          {isDoubtful && <Chip hue="amber">{t("contacts.possible_duplicate")}</Chip>}
        </Group>
      </Table.Td>
      <Table.Td maw={240}>
        {phone === null ? (
          email !== null && (
            <Text span inherit truncate display="block" title={email}>
              {email}
            </Text>
          )
        ) : (
          <PhoneLink phone={phone} />
        )}
      </Table.Td>
      <Table.Td maw={200}>
        {stage !== null && <Chip hue={hueOfStage(stage.stage_id)}>{stage.stage_name}</Chip>}
      </Table.Td>
      <Table.Td maw={240}>{row.tags.length > 0 && <Tags tags={row.tags} />}</Table.Td>
      <Table.Td maw={180}>
        <Assignee userId={row.assigned_to_user_id} />
      </Table.Td>
      <Table.Td ta="end">
        <Moment at={row.last_activity_at} />
      </Table.Td>
    </Table.Tr>
  );
}

const tagsShown = 3;

function Tags({ tags }: { tags: string[] }) {
  const more = tags.length - tagsShown;
  return (
    <Group gap={4}>
      {tags.slice(0, tagsShown).map((tag) => (
        <Chip key={tag}>{tag}</Chip>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed" title={tags.join(", ")}>
          +{more}
        </Text>
      )}
    </Group>
  );
}

function Assignee({ userId }: { userId: number | null }) {
  const { t } = useTranslation();
  const name = useTeam().find(({ id }) => id === userId)?.name;
  if (userId === null) return <Text c="dimmed">{t("inbox.nobody")}</Text>;
  return (
    <Group gap={6} wrap="nowrap">
      <Avatar id={userId} name={name ?? ""} size={20} />
      <Text truncate dir="auto">
        {name ?? t("contacts.somebody")}
      </Text>
    </Group>
  );
}
