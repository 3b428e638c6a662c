import { Box, Group, Paper, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Chip } from "../../components/chip.tsx";
import styles from "./imports.module.css";
import type { previewOf, TableDraft } from "./map-values.ts";
import { useCountText } from "./use-count-text.ts";

interface PreviewTableProps {
  columns: TableDraft["columns"];
  preview: ReturnType<typeof previewOf>;
  /** Rows of the whole file. */
  total: number;
  /** True while the file is read in another way, and these rows are the former ones. */
  isBusy: boolean;
}

/** The first rows of the file under the fields that they fill. It scrolls within itself. */
export function PreviewTable({ columns, preview, total, isBusy }: PreviewTableProps) {
  const { t } = useTranslation();
  const number = useCountText();
  const { titles, rows } = preview;
  return (
    <Paper withBorder className={styles["preview"] ?? ""}>
      <Group justify="space-between" p="md" pb="xs">
        <Title order={3}>{t("imports.map.preview")}</Title>
        <Text size="xs" c="dimmed" className="tabular">
          {t("imports.map.preview_text", { count: rows.length, total: number(total) })}
        </Text>
      </Group>
      <Box
        role="region"
        aria-label={t("imports.map.preview")}
        aria-busy={isBusy}
        tabIndex={0}
        className={styles["previewRegion"] ?? ""}
      >
        <table>
          <thead>
            <tr>
              <td aria-hidden />
              {columns.map((field, index) => (
                <th key={index} scope="col" data-left-out={field === null || undefined}>
                  {field !== null && <Chip hue="indigo">{t(`imports.map.fields.${field}`)}</Chip>}
                  <span dir="auto">
                    {titles[index] ?? t("imports.map.unnamed", { number: index + 1 })}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              <tr key={place}>
                <td>{place + 1}</td>
                {columns.map((field, index) => (
                  <td key={index} data-left-out={field === null || undefined} dir="auto">
                    {row[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </Paper>
  );
}
