import { Alert, Loader, Select, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import {
  importCharsets,
  importDelimiters,
  type ImportCharset,
} from "../../../../core/model/import-format.ts";
import type { DetectedTable } from "../../../../core/model/import.ts";
import { ApiError } from "../../lib/api.ts";
import { errorText } from "../../lib/error-text.ts";
import type { ChosenFormat, useReread } from "./api.ts";
import { hasForeignSigns, isOneColumn } from "./map-values.ts";

interface FileFormatProps {
  table: DetectedTable;
  reread: ReturnType<typeof useReread>;
}

/** Format of the file. Another delimiter or charset of a CSV can be chosen, and it is read again. */
export function FileFormat({ table, reread }: FileFormatProps) {
  const { t } = useTranslation();
  if (table.charset === null) {
    return (
      <div>
        <Title order={3}>{t("imports.map.file")}</Title>
        <Text size="xs" c="dimmed">
          {table.format.toUpperCase()}
        </Text>
      </div>
    );
  }
  return (
    <Stack gap={0}>
      <Title order={3} mb="xs">
        {t("imports.map.file")}
      </Title>
      <Selects table={table} reread={reread} />
      {reread.isError ? (
        <Refusal error={reread.error} chosen={reread.variables} />
      ) : (
        <Doubt table={table} />
      )}
    </Stack>
  );
}

/** Entry that has the file detected again. */
const auto = "auto";

function Selects({ table, reread }: FileFormatProps) {
  const { t } = useTranslation();
  const delimiterName = useDelimiterName();
  const { isPending, variables, mutate } = reread;
  const own = table.delimiter ?? "";
  const others = importDelimiters.some((one) => one === own) ? [] : [own];
  const automatic = { value: auto, label: t("imports.map.automatic") };
  // Shows the choice while the file is read, and the former one again after a refusal.
  const wish: ChosenFormat = isPending ? variables : {};
  const field = (part: keyof ChosenFormat) => ({
    allowDeselect: false,
    // A disabled field would lose the keyboard focus.
    readOnly: isPending,
    ...(wish[part] === undefined ? {} : { rightSection: <Loader size={14} /> }),
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" aria-busy={isPending}>
      <Select
        label={t("imports.map.delimiter")}
        value={wish.delimiter === undefined ? own : (wish.delimiter ?? auto)}
        onChange={(value) => mutate({ delimiter: value === auto ? null : value })}
        data={[
          ...[...importDelimiters, ...others].map((value) => ({
            value,
            label: delimiterName(value),
          })),
          automatic,
        ]}
        {...field("delimiter")}
      />
      <Select
        label={t("imports.map.charset")}
        value={wish.charset === undefined ? table.charset : (wish.charset ?? auto)}
        onChange={(value) => mutate({ charset: charsetOf(value) })}
        data={[
          ...importCharsets.map((value) => ({ value, label: charsetNames[value] })),
          automatic,
        ]}
        {...field("charset")}
      />
    </SimpleGrid>
  );
}

const charsetNames: Record<ImportCharset, string> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
  "windows-1252": "Windows-1252",
};

function charsetOf(value: string | null): ImportCharset | null {
  return importCharsets.find((one) => one === value) ?? null;
}

const delimiterNames: Record<string, "comma" | "semicolon" | "tab" | "pipe"> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "pipe",
};

/** A function that names a delimiter; one without a name stands for itself. */
function useDelimiterName(): (delimiter: string) => string {
  const { t } = useTranslation();
  return (delimiter) => {
    const name = delimiterNames[delimiter];
    return name === undefined ? delimiter : t(`imports.map.delimiters.${name}`);
  };
}

interface RefusalProps {
  error: Error;
  chosen: ChosenFormat;
}

/** Message that the file cannot be read in the chosen way, and that nothing has changed. */
function Refusal({ error, chosen }: RefusalProps) {
  const { t } = useTranslation();
  const delimiterName = useDelimiterName();
  const isFileFault = error instanceof ApiError && error.code === "import_file_invalid";
  const { charset, delimiter } = chosen;
  const name = charset ? charsetNames[charset] : delimiter ? delimiterName(delimiter) : "";
  const title = name === "" ? t("imports.map.not_reread") : t("imports.map.unfit", { name });
  return (
    <Alert
      mt="xs"
      color="bad"
      role="alert"
      icon={<IconAlertCircle size={18} aria-hidden />}
      title={title}
    >
      {isFileFault
        ? t(charset === undefined ? "imports.map.unfit_delimiter" : "imports.map.unfit_charset")
        : errorText(error)}
    </Alert>
  );
}

/** Hint where the file can be read so, and yet the rows look wrong. */
function Doubt({ table }: { table: DetectedTable }) {
  const { t } = useTranslation();
  const doubt = hasForeignSigns(table) ? "foreign" : isOneColumn(table) ? "one_column" : null;
  return (
    <div role="status">
      {doubt !== null && (
        <Alert mt="xs" color="warn" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {t(`imports.map.${doubt}`)}
        </Alert>
      )}
    </div>
  );
}
