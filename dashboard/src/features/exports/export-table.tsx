import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Moment } from "../../components/moment.tsx";
import { Status, type Tone } from "../../components/status.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import type { ExportSummary } from "../../lib/exports.ts";
import { sizeText } from "../../lib/size-text.ts";
import { hoursAndMinutes, useNow } from "../../lib/time.ts";
import { ExportAction } from "./export-action.tsx";

/** Exports with state, size and maker, and the next step of each. */
export function ExportTable({ rows }: { rows: ExportSummary[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("exports.list.title")}
      minWidth={920}
      heads={[
        t("exports.list.file"),
        t("exports.list.content"),
        t("exports.list.state"),
        { label: t("exports.list.rows"), isEnd: true },
        { label: t("exports.list.size"), isEnd: true },
        t("exports.list.made_by"),
        { label: t("exports.list.started"), isEnd: true },
        "",
      ]}
    >
      {rows.map((row) => (
        <ExportLine key={row.id} row={row} />
      ))}
    </WideTable>
  );
}

function ExportLine({ row }: { row: ExportSummary }) {
  const { t, i18n } = useTranslation();
  const one = useExpiry(row);
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        <Text span inherit truncate display="block" fw={500}>
          {one.name}
        </Text>
      </Table.Td>
      <Table.Td>{t(`exports.list.kind.${one.kind}`)}</Table.Td>
      <Table.Td maw={300}>
        <ExportState one={one} />
      </Table.Td>
      <Table.Td ta="end" className="tabular">
        {one.kind !== "contact" &&
          (one.rows > 0 || one.state === "done") &&
          one.rows.toLocaleString(i18n.language === "es" ? "es-MX" : "en-US")}
      </Table.Td>
      <Table.Td ta="end" className="tabular">
        {one.size !== null && sizeText(one.size)}
      </Table.Td>
      <Table.Td maw={200}>
        {one.created_by_name !== null && (
          <Text span inherit truncate display="block" dir="auto">
            {one.created_by_name}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="end">
        <Moment at={one.created_at} />
      </Table.Td>
      <Table.Td ta="end">
        <ExportAction one={one} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The export as it is now: a file expires without a change that tells of it. */
function useExpiry(row: ExportSummary): ExportSummary & { leftMs: number } {
  const now = useNow(30_000);
  const leftMs = row.expires_at === null ? 0 : new Date(row.expires_at).getTime() - now;
  return { ...row, leftMs, state: row.state === "done" && leftMs <= 0 ? "expired" : row.state };
}

const tones: Record<ExportSummary["state"], Tone> = {
  queued: "info",
  running: "info",
  done: "ok",
  failed: "bad",
  expired: "gray",
};

function ExportState({ one }: { one: ExportSummary & { leftMs: number } }) {
  const { t } = useTranslation();
  const words = useWords(one);
  return (
    <>
      <Status tone={tones[one.state]}>{t(`exports.list.states.${one.state}`)}</Status>
      {words !== null && (
        <Text size="xs" c="dimmed">
          {words}
        </Text>
      )}
    </>
  );
}

/** The end of the link and the person for whom it works, or why there is no file. */
function useWords(one: ExportSummary & { leftMs: number }): string | null {
  const { t } = useTranslation();
  if (one.state === "failed" || one.error !== null)
    return t(`exports.list.errors.${one.error ?? "export_failed"}`);
  if (one.state !== "done") return null;
  if (!one.is_mine) return t("exports.list.not_mine");
  return t("exports.list.left", { time: hoursAndMinutes(one.leftMs) });
}
