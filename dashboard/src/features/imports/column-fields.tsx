import { Select, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { importFields, type ImportField } from "../../../../core/model/import.ts";
import styles from "./imports.module.css";
import type { previewOf, TableDraft } from "./map-values.ts";

interface ColumnFieldsProps {
  draft: TableDraft;
  preview: ReturnType<typeof previewOf>;
  onChange: (columns: TableDraft["columns"]) => void;
}

/** List of the file's columns, each with an example and the field that it fills. */
export function ColumnFields({ draft: { columns }, preview, onChange }: ColumnFieldsProps) {
  const { t } = useTranslation();
  const { titles, rows } = preview;
  return (
    <section aria-labelledby="import-columns">
      <Title order={3} id="import-columns" p="md" pb="xs">
        {t("imports.map.columns")}
      </Title>
      <ul className={styles["columns"]}>
        {columns.map((field, index) => (
          <ColumnField
            key={index}
            name={titles[index] ?? t("imports.map.unnamed", { number: index + 1 })}
            example={rows.find((row) => row[index]?.trim())?.[index] ?? ""}
            field={field}
            onChange={(next) =>
              onChange(columns.map((before, place) => (place === index ? next : before)))
            }
          />
        ))}
      </ul>
    </section>
  );
}

interface ColumnFieldProps {
  name: string;
  example: string;
  field: ImportField | null;
  onChange: (field: ImportField | null) => void;
}

function ColumnField({ name, example, field, onChange }: ColumnFieldProps) {
  const { t } = useTranslation();
  const fields = importFields.map((value) => ({ value, label: t(`imports.map.fields.${value}`) }));
  return (
    <li>
      <div>
        <Text fw={500} truncate dir="auto" title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate dir="auto">
          {example}
        </Text>
      </div>
      <Select
        aria-label={t("imports.map.column", { name })}
        w={148}
        allowDeselect={false}
        value={field ?? "skip"}
        onChange={(value) => onChange(importFields.find((one) => one === value) ?? null)}
        data={[{ value: "skip", label: t("imports.map.skip") }, ...fields]}
      />
    </li>
  );
}
