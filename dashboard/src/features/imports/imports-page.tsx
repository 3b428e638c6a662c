import { Button, Table, Text } from "@mantine/core";
import { IconUsers, IconBrandWhatsapp, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { EmptyWithSteps, type EmptyStep } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { RowLink, WideTable } from "../../components/wide-table.tsx";
import { importPath, newImportPath } from "../../lib/import-paths.ts";
import { offsetIn, useUrlFilters } from "../../lib/url-filters.ts";
import { importsQuery, type ImportSummary } from "./api.ts";
import { ImportStatus } from "./import-status.tsx";
import { useCountText } from "./use-count-text.ts";

/** List of the imports, newest first. */
export function ImportsPage() {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const offset = offsetIn(params);
  const query = useQuery(importsQuery(offset));
  const isEmpty = query.data?.data.length === 0 && offset === 0;
  return (
    <Page
      title={t("imports.title")}
      action={
        !isEmpty && (
          <Button
            component={Link}
            to={newImportPath("contacts")}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {t("imports.add")}
          </Button>
        )
      }
    >
      <SettingsNav />
      <QueryState query={query}>
        {({ data, meta }) =>
          isEmpty ? (
            <NoImports />
          ) : (
            <>
              <ImportTable rows={data} />
              <Pager
                meta={meta}
                onMove={(to, how) => set("offset", to === 0 ? null : String(to), how)}
              />
            </>
          )
        }
      </QueryState>
    </Page>
  );
}

function NoImports() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const step = (kind: "contacts" | "chat", look: Pick<EmptyStep, "icon" | "hue">): EmptyStep => ({
    icon: look.icon,
    hue: look.hue,
    title: t(`imports.first.${kind}`),
    text: t(`imports.first_text.${kind}`),
    onClick: () => void navigate(newImportPath(kind)),
  });
  return (
    <EmptyWithSteps
      title={t("imports.empty")}
      text={t("imports.empty_text")}
      steps={[
        step("contacts", { icon: IconUsers, hue: "indigo" }),
        step("chat", { icon: IconBrandWhatsapp, hue: "moss" }),
      ]}
    />
  );
}

function ImportTable({ rows }: { rows: ImportSummary[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("imports.title")}
      minWidth={720}
      heads={[
        t("imports.file"),
        t("imports.content"),
        t("imports.state"),
        { label: t("imports.rows"), isEnd: true },
        t("imports.outcome"),
        { label: t("imports.started"), isEnd: true },
      ]}
    >
      {rows.map((row) => (
        <ImportLine key={row.id} row={row} />
      ))}
    </WideTable>
  );
}

function ImportLine({ row }: { row: ImportSummary }) {
  const { t } = useTranslation();
  const number = useCountText();
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <RowLink to={importPath(row.id)}>
          <Text span inherit truncate display="block">
            {row.name ?? t("imports.erased")}
          </Text>
        </RowLink>
      </Table.Td>
      <Table.Td>{t(`imports.kind.${row.kind}`)}</Table.Td>
      <Table.Td>
        <ImportStatus {...row} />
      </Table.Td>
      <Table.Td ta="end" className="tabular">
        {row.counts.rows > 0 && number(row.counts.rows)}
      </Table.Td>
      <Table.Td>
        <Outcome row={row} />
      </Table.Td>
      <Table.Td ta="end">
        <Moment at={row.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The largest counts of an import in words: `12 new · 3 changed`. */
function Outcome({ row: { counts } }: { row: ImportSummary }) {
  const { t } = useTranslation();
  const number = useCountText();
  const { created, updated, failed } = counts.done;
  const words = [
    created > 0 && t("imports.brief.created", { total: number(created) }),
    updated > 0 && t("imports.brief.updated", { total: number(updated) }),
    failed > 0 && t("imports.brief.failed", { total: number(failed) }),
  ].filter((word) => word !== false);
  return words.length === 0 ? null : <Text size="sm">{words.join(" · ")}</Text>;
}
