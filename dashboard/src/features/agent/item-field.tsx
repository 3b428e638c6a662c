import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { maxSearchLength } from "../../../../core/model/wire.ts";
import { itemQuery, itemsQuery } from "../../lib/knowledge.ts";

/** Time in ms after which a pause of the typing starts a search. */
const pauseMs = 250;

interface ItemFieldProps {
  /** Id of the chosen item, or null. */
  value: number | null;
  onChange: (id: number | null) => void;
}

/**
 * Field that chooses an approved knowledge item. The server searches, because an account may have
 * thousands. The chosen item stays in the list, also where it was archived or deleted.
 */
export function ItemField({ value, onChange }: ItemFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim().slice(0, maxSearchLength), pauseMs);
  const chosen = useQuery({ ...itemQuery(value ?? 0), enabled: value !== null });
  // The field repeats the chosen question, which is no search.
  const isSearch = text !== "" && !(chosen.data?.question ?? "").startsWith(text);
  const filter = { state: "approved", ...(isSearch ? { q: text } : {}) } as const;
  const list = useQuery(itemsQuery(filter, 0)).data?.data;
  const found = list ?? [];
  const options = found.map(({ id, question }) => ({ value: String(id), label: question }));
  if (value !== null && chosen.data !== undefined && found.every(({ id }) => id !== value)) {
    const label = chosen.data?.question ?? t("cases.gone_item");
    options.unshift({ value: String(value), label });
  }
  return (
    <Select
      label={t("cases.item")}
      description={t("cases.item_text")}
      placeholder={value === null ? t("cases.any") : ""}
      clearable
      searchable
      limit={50}
      dir="auto"
      nothingFoundMessage={list === undefined ? undefined : t("cases.no_item")}
      data={options}
      filter={({ options: all }) => all}
      onSearchChange={setTyped}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
    />
  );
}
