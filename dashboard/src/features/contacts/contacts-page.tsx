import { Button, Group, Table, Text } from "@mantine/core";
import { IconEdit, IconTag, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { RowLink } from "../../components/wide-table.tsx";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Chip } from "../../components/chip.tsx";
import { EmptyWithSteps, type EmptyStep } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { Pager, type PagerProps } from "../../components/pager.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { contactsQuery, type ContactFilter, type ContactRow } from "../../lib/contact.ts";
import { isEmptyList } from "../../lib/empty-list.ts";
import { offsetIn, useUrlFilters } from "../../lib/url-filters.ts";
import { queryString } from "../../lib/api.ts";
import { contactPath, paths } from "../../paths.ts";
import { KeptFilters } from "./kept-filters.tsx";
import { NewContactModal } from "./new-contact-modal.tsx";

/** List of contacts, newest first. The URL keeps search and tag. */
export function ContactsPage() {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const navigate = useNavigate();
  const [adding, add] = useUrlDisclosure();
  const search = (params.get("search") ?? "").slice(0, 100);
  const tag = (params.get("tag") ?? "").slice(0, 50);
  const filter: ContactFilter = {
    ...(search.trim() === "" ? {} : { search: search.trim() }),
    ...(tag.trim() === "" ? {} : { tag: tag.trim() }),
  };
  const apply = (kept: ContactFilter): void => {
    void navigate(`${paths.contacts}${queryString({ ...kept })}`);
  };
  const narrow = (name: string, value: string): void => set(name, value, { replace: true });
  return (
    <Page
      title={t("contacts.title")}
      action={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={add.open}>
          {t("contacts.add")}
        </Button>
      }
    >
      <Group mb="md" wrap="nowrap" maw={560}>
        <SearchInput
          label={t("inbox.search")}
          value={search}
          onChange={(value) => narrow("search", value)}
        />
        <SearchInput
          label={t("contacts.tag")}
          placeholder={t("contacts.tag")}
          icon={IconTag}
          maxLength={50}
          value={tag}
          onChange={(value) => narrow("tag", value)}
        />
      </Group>
      <KeptFilters filter={filter} onApply={apply} />
      <Rows
        filter={filter}
        offset={offsetIn(params)}
        onMove={(offset, how) => set("offset", offset === 0 ? null : String(offset), how)}
        onAdd={add.open}
      />
      {adding && <NewContactModal onClose={add.close} />}
    </Page>
  );
}

interface RowsProps {
  filter: ContactFilter;
  offset: number;
  onMove: PagerProps["onMove"];
  onAdd: () => void;
}

function Rows({ filter, offset, onMove, onAdd }: RowsProps) {
  const { t } = useTranslation();
  const contacts = useQuery(contactsQuery(filter, offset));
  const narrowed = Object.keys(filter).length > 0;
  const words = narrowed ? "no_match" : "empty";
  const navigate = useNavigate();
  const steps: EmptyStep[] = [
    {
      icon: IconUserPlus,
      hue: "teal",
      title: t("contacts.add_first"),
      text: t("contacts.add_first_text"),
      onClick: onAdd,
    },
    {
      icon: IconEdit,
      hue: "indigo",
      title: t("new_conversation.title"),
      text: t("contacts.write_first_text"),
      onClick: () => void navigate(`${paths.inbox}?new=1`),
    },
  ];
  return (
    <QueryState query={contacts}>
      {(page) =>
        isEmptyList(page) ? (
          <EmptyWithSteps
            title={t(`contacts.${words}`)}
            text={t(`contacts.${words}_text`)}
            steps={narrowed ? [] : steps}
          />
        ) : (
          <>
            <ContactTable rows={page.data} />
            <Pager meta={page.meta} onMove={onMove} />
          </>
        )
      }
    </QueryState>
  );
}

function ContactTable({ rows }: { rows: ContactRow[] }) {
  const { t } = useTranslation();
  return (
    <WideTable label={t("contacts.title")} minWidth={720}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("common.name")}</Table.Th>
          <Table.Th>{t("contact.phone")}</Table.Th>
          <Table.Th>{t("common.email")}</Table.Th>
          <Table.Th>{t("contact.tags")}</Table.Th>
          <Table.Th>{t("contact.since")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

const tagsShown = 3;

function Row({ row }: { row: ContactRow }) {
  const more = row.tags.length - tagsShown;
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        <RowLink to={contactPath(row.id)}>
          <Group gap="sm" wrap="nowrap">
            <Avatar id={row.id} name={row.name} size={24} />
            <Text span inherit truncate>
              {row.name}
            </Text>
          </Group>
        </RowLink>
      </Table.Td>
      <Table.Td className="tabular">{row.phone}</Table.Td>
      <Table.Td>{row.email}</Table.Td>
      <Table.Td>
        <Group gap={4}>
          {row.tags.slice(0, tagsShown).map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
          {more > 0 && (
            <Text size="xs" c="dimmed" title={row.tags.join(", ")}>
              +{more}
            </Text>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        <Moment at={row.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}
