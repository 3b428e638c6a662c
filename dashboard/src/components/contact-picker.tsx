import { Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { contactsQuery, type ContactRow } from "../lib/contact.ts";
import { QueryState } from "./load-states.tsx";
import { SearchInput } from "./search-input.tsx";

interface ContactPickerProps {
  /** Label of the list: the purpose of the choice. */
  label: string;
  /** A contact that cannot be chosen. */
  exceptId?: number;
  /** Number of contacts that are shown at once. */
  limit?: number;
  chosen: ContactRow | null;
  onChoose: (row: ContactRow | null) => void;
}

/** Search field and list to choose a contact. */
export function ContactPicker(props: ContactPickerProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState("");
  return (
    <>
      <SearchInput label={t("inbox.search")} value="" onChange={setSearch} />
      <Found {...props} search={search.trim()} />
    </>
  );
}

function Found({ search, limit = 7, ...choice }: ContactPickerProps & { search: string }) {
  const contacts = useQuery(contactsQuery(search === "" ? {} : { search }, 0, limit));
  return (
    <QueryState query={contacts} rows={3}>
      {({ data }) => <Choices {...choice} found={data} />}
    </QueryState>
  );
}

interface ChoicesProps extends Omit<ContactPickerProps, "limit"> {
  found: ContactRow[];
}

/** The matching contacts. The chosen contact stays in the list for every search. */
function Choices({ label, found, exceptId, chosen, onChoose }: ChoicesProps) {
  const { t } = useTranslation();
  const fitting = found.filter(({ id }) => id !== exceptId && id !== chosen?.id);
  const rows = chosen === null ? fitting : [chosen, ...fitting];
  if (rows.length === 0) return <Text c="dimmed">{t("contacts.no_match")}</Text>;
  return (
    <Radio.Group
      label={label}
      value={String(chosen?.id ?? "")}
      onChange={(value) => onChoose(rows.find(({ id }) => String(id) === value) ?? null)}
    >
      <Stack gap="xs" mt="xs">
        {rows.map(({ id, name, phone, email }) => (
          <Radio
            key={id}
            value={String(id)}
            label={name}
            description={[phone, email].filter((one) => one !== null).join(" · ")}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
