import { Alert, Group, Paper, Stack } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ContactMapping, DetectedTable } from "../../../../core/model/import.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useDryRun, useReread, type Import } from "./api.ts";
import { ColumnFields } from "./column-fields.tsx";
import { FileFormat } from "./file-format.tsx";
import styles from "./imports.module.css";
import { MapOptions } from "./map-options.tsx";
import {
  findTableFault,
  previewOf,
  rereadDraft,
  tableDraft,
  tableMapping,
  type TableDraft,
} from "./map-values.ts";
import { PreviewTable } from "./preview-table.tsx";

interface MapTableProps {
  one: Import;
  table: DetectedTable;
  /** Runs once the dry run has begun. */
  onPlanned: () => void;
}

/** Matches the columns of a table with fields, beside a preview of the first rows. */
export function MapTable({ one, table, onPlanned }: MapTableProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useDraft(table, one.mapping as ContactMapping | null);
  const [isTried, setTried] = useState(false);
  const dryRun = useDryRun(one.id);
  const reread = useReread(one.id);
  const preview = previewOf(table, draft);
  const fault = findTableFault(draft);
  const start = (): void => {
    setTried(true);
    if (fault !== null) return;
    dryRun.mutate({ mapping: tableMapping(draft) }, { onSuccess: onPlanned });
  };
  return (
    <div className={styles["map"]}>
      <Stack gap="md">
        <Paper withBorder>
          <ColumnFields
            draft={draft}
            preview={preview}
            onChange={(columns) => setDraft({ ...draft, columns })}
          />
        </Paper>
        <Paper withBorder p="md">
          <FileFormat table={table} reread={reread} />
        </Paper>
        <Paper withBorder p="md">
          <MapOptions draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
        </Paper>
        {isTried && fault !== null && (
          <Alert color="bad" role="alert" icon={<IconAlertCircle size={18} aria-hidden />}>
            {fault.code === "twice"
              ? t("imports.map.twice", { field: t(`imports.map.fields.${fault.field}`) })
              : t("imports.map.need_reach")}
          </Alert>
        )}
        {dryRun.isError && (
          <Alert color="bad" role="alert" icon={<IconAlertCircle size={18} aria-hidden />}>
            {errorText(dryRun.error)}
          </Alert>
        )}
      </Stack>
      <PreviewTable
        columns={draft.columns}
        preview={preview}
        total={totalOf(table, draft.hasHeader)}
        isBusy={reread.isPending}
      />
      <Group justify="flex-end">
        <PendingButton pending={dryRun.isPending || reread.isPending} onClick={start}>
          {t("imports.map.check")}
        </PendingButton>
      </Group>
    </div>
  );
}

/**
 * The form, and a function that changes it. Another format of the file gives other columns, also
 * where a colleague has chosen it.
 */
function useDraft(table: DetectedTable, mapping: ContactMapping | null) {
  const format = `${table.charset} ${table.delimiter}`;
  const [kept, setKept] = useState(() => ({ format, draft: tableDraft(table, mapping) }));
  const isKept = kept.format === format;
  const draft = isKept ? kept.draft : rereadDraft(kept.draft, table, mapping);
  if (!isKept) setKept({ format, draft });
  const setDraft = (next: TableDraft): void => setKept({ format, draft: next });
  return [draft, setDraft] as const;
}

/** Rows of the file below the header. The detection may have counted the header as a row. */
function totalOf({ rows, has_header: counted }: DetectedTable, hasHeader: boolean): number {
  return rows + Number(counted) - Number(hasHeader);
}
