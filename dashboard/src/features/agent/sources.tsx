import {
  Anchor,
  Button,
  FileButton,
  Group,
  Loader,
  Menu,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFileText, IconRefresh, IconTrash, IconUpload, IconWorld } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { Moment } from "../../components/moment.tsx";
import { Pager } from "../../components/pager.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { Status } from "../../components/status.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import {
  sourcesQuery,
  useDeleteSource,
  useRefreshSource,
  type Source,
} from "../../lib/knowledge.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { PageModal } from "./page-modal.tsx";
import { useUpload } from "./use-upload.ts";

/** Pages and files from which the knowledge is suggested, with their state. */
export function Sources() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [offset, setOffset] = useState(0);
  const page = useQuery(sourcesQuery(offset)).data;
  const isAdmin = role === "admin";
  if (page === undefined || (page.meta.total === 0 && !isAdmin)) return null;
  return (
    <Stack component="section" gap="xs" aria-label={t("knowledge.sources")}>
      <Group justify="space-between" gap="xs">
        <Title order={2}>{t("knowledge.sources")}</Title>
        {isAdmin && <AddButtons />}
      </Group>
      {page.meta.total === 0 ? (
        <Text c="dimmed">{t("knowledge.no_sources")}</Text>
      ) : (
        <WideTable
          label={t("knowledge.sources_list")}
          minWidth={720}
          heads={[
            t("knowledge.source"),
            t("agent.state"),
            t("knowledge.found"),
            t("knowledge.read_at"),
            "",
          ]}
        >
          {page.data.map((source) => (
            <SourceRow key={source.id} source={source} canChange={isAdmin} />
          ))}
        </WideTable>
      )}
      <Pager meta={page.meta} onMove={setOffset} />
    </Stack>
  );
}

function AddButtons() {
  const { t } = useTranslation();
  const [adding, add] = useDisclosure(false);
  const { upload, isPending } = useUpload();
  // The same file may be chosen again, once a person has corrected it.
  const reset = useRef<() => void>(null);
  const choose = (file: File | null): void => {
    upload(file);
    reset.current?.();
  };
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconWorld size={16} aria-hidden />}
        onClick={add.open}
      >
        {t("knowledge.add_page")}
      </Button>
      <FileButton accept=".txt,.md,.csv" onChange={choose} resetRef={reset}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            size="xs"
            aria-busy={isPending}
            leftSection={<IconUpload size={16} aria-hidden />}
          >
            {t("knowledge.upload")}
          </Button>
        )}
      </FileButton>
      {adding && <PageModal onClose={add.close} />}
    </Group>
  );
}

function SourceRow({ source, canChange }: { source: Source; canChange: boolean }) {
  const { t } = useTranslation();
  const { kind, location } = source;
  const Icon = kind === "page" ? IconWorld : IconFileText;
  return (
    <Table.Tr>
      <Table.Td maw={360}>
        <Group gap="xs" wrap="nowrap">
          <Icon size={16} color="var(--parley-ink-3)" aria-hidden style={{ flex: "none" }} />
          {kind === "page" ? (
            <Anchor href={location} target="_blank" rel="noreferrer" truncate title={location}>
              {location.replace(/^https?:\/\//u, "")}
            </Anchor>
          ) : (
            <Text span truncate dir="auto" title={location}>
              {location}
            </Text>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        <SourceState source={source} />
      </Table.Td>
      <Table.Td className="tabular">
        {t("knowledge.questions", { count: source.questions })}
        {source.suggestions > 0 && (
          <Text span c="dimmed" size="sm">
            {" · "}
            {t("knowledge.to_review", { count: source.suggestions })}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{source.fetched_at === null ? "—" : <Moment at={source.fetched_at} />}</Table.Td>
      <Table.Td ta="end">{canChange && <SourceMenu source={source} />}</Table.Td>
    </Table.Tr>
  );
}

function SourceState({ source: { state, failure } }: { source: Source }) {
  const { t } = useTranslation();
  switch (state) {
    case "reading":
      return (
        <Group gap={6} wrap="nowrap" role="status">
          <Loader size={12} aria-hidden />
          <Text span size="sm">
            {t("knowledge.reading")}
          </Text>
        </Group>
      );
    case "ready":
      return <Status tone="ok">{t("knowledge.read")}</Status>;
    case "failed":
      return (
        <Stack gap={2} align="flex-start">
          <Status tone="bad">{t("knowledge.not_read")}</Status>
          {failure !== null && (
            <Text span size="xs" c="dimmed">
              {t(`knowledge.failures.${failure}`)}
            </Text>
          )}
        </Stack>
      );
  }
}

function SourceMenu({ source: { id, kind, state, location } }: { source: Source }) {
  const { t } = useTranslation();
  const refresh = useRefreshSource(id);
  const deletion = useDeleteSource(id);
  const [deleting, remove] = useDisclosure(false);
  return (
    <>
      <RowMenu name={location}>
        {kind === "page" && (
          <Menu.Item
            leftSection={<IconRefresh size={16} aria-hidden />}
            disabled={state === "reading"}
            onClick={() =>
              refresh.mutate(undefined, {
                onError: (error) => tellFailure(t("knowledge.not_changed"), error),
              })
            }
          >
            {t("knowledge.refresh")}
          </Menu.Item>
        )}
        <Menu.Item
          color="bad"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={remove.open}
        >
          {t("knowledge.delete")}
        </Menu.Item>
      </RowMenu>
      {deleting && (
        <ConfirmModal
          title={t("agent.delete_title", { name: location })}
          text={t("knowledge.delete_source_text")}
          action={t("knowledge.delete")}
          keep={t("agent.keep")}
          color="bad"
          pending={deletion.isPending}
          onClose={remove.close}
          onConfirm={() =>
            deletion.mutate(undefined, {
              onSuccess: remove.close,
              onError: (error) => tellFailure(t("agent.not_deleted"), error),
            })
          }
        />
      )}
    </>
  );
}
