import { SegmentedControl, Select, Stack, Switch, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { usePipelines } from "../../lib/pipelines.ts";
import { countryOptions } from "./countries.ts";
import type { TableDraft } from "./map-values.ts";

interface MapOptionsProps {
  draft: TableDraft;
  onChange: (part: Partial<TableDraft>) => void;
}

/** Options of an import of contacts, below the columns. */
export function MapOptions({ draft, onChange }: MapOptionsProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Title order={3}>{t("imports.map.options")}</Title>
      <Switch
        label={t("imports.map.has_header")}
        checked={draft.hasHeader}
        onChange={({ currentTarget }) => onChange({ hasHeader: currentTarget.checked })}
      />
      <OverwriteChoice draft={draft} onChange={onChange} />
      <CountrySelect value={draft.country} onChange={(country) => onChange({ country })} />
      {draft.columns.includes("stage") && <PipelineSelect draft={draft} onChange={onChange} />}
    </Stack>
  );
}

function OverwriteChoice({ draft: { overwrite }, onChange }: MapOptionsProps) {
  const { t } = useTranslation();
  const value = overwrite ? "replace" : "fill";
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id="import-overwrite">
        {t("imports.map.overwrite")}
      </Text>
      <SegmentedControl
        aria-labelledby="import-overwrite"
        fullWidth
        value={value}
        onChange={(next) => onChange({ overwrite: next === "replace" })}
        data={(["fill", "replace"] as const).map((one) => ({
          value: one,
          label: t(`imports.map.overwrites.${one}`),
        }))}
      />
      <Text size="xs" c="dimmed">
        {t(`imports.map.overwrite_text.${value}`)}
      </Text>
    </Stack>
  );
}

interface CountrySelectProps {
  value: string | null;
  onChange: (country: string | null) => void;
}

function CountrySelect({ value, onChange }: CountrySelectProps) {
  const { t, i18n } = useTranslation();
  const countries = useMemo(() => countryOptions(i18n.language), [i18n.language]);
  return (
    <Select
      label={t("imports.map.country")}
      description={t("imports.map.country_text")}
      placeholder={t("imports.map.no_country")}
      searchable
      clearable
      nothingFoundMessage={t("palette.nothing")}
      maxDropdownHeight={260}
      value={value}
      onChange={onChange}
      data={countries}
    />
  );
}

function PipelineSelect({ draft: { pipelineId }, onChange }: MapOptionsProps) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  return (
    <Select
      label={t("imports.map.pipeline")}
      description={t("imports.map.pipeline_text")}
      placeholder={t("imports.map.no_pipeline")}
      clearable
      value={pipelineId === null ? null : String(pipelineId)}
      onChange={(value) => onChange({ pipelineId: value === null ? null : Number(value) })}
      data={pipelines.map(({ id, name }) => ({ value: String(id), label: name }))}
    />
  );
}
