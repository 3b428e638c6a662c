import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import type { ContactCard } from "../../lib/contact.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { contactPath } from "../../paths.ts";
import { contactsQuery, useMergeContact, type ContactRow } from "./api.ts";

/** Merges a contact into another one, which is looked for here, and opens that one. */
export function MergeModal({ card, onClose }: { card: ContactCard; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search, setSearch] = useState("");
  const [into, setInto] = useState<ContactRow | null>(null);
  const merge = useMergeContact(card.id);
  const confirm = ({ id }: ContactRow): void => {
    // The page of this contact may be gone before the answer is told to it.
    void merge.mutateAsync(id).then(
      async () => {
        tellDone(t("contacts.merged"));
        await navigate(contactPath(id), { replace: true });
      },
      (error: unknown) => tellFailure(t("contacts.not_merged"), error),
    );
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("contacts.merge_title", { name: card.name })}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <Stack>
        <Text size="sm">{t("contacts.merge_text")}</Text>
        <SearchInput label={t("inbox.search")} value="" onChange={setSearch} />
        <Found search={search.trim()} exceptId={card.id} chosen={into} onChoose={setInto} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button
            disabled={into === null}
            loading={merge.isPending}
            onClick={() => into !== null && confirm(into)}
          >
            {t("contacts.merge")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface FoundProps {
  search: string;
  exceptId: number;
  chosen: ContactRow | null;
  onChoose: (row: ContactRow | null) => void;
}

/** The contacts that fit, and the chosen one whatever is searched for. */
function Found({ search, exceptId, chosen, onChoose }: FoundProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(contactsQuery(search === "" ? {} : { search }, 0, 7));
  if (data === undefined && error !== null) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const fitting = data.data.filter(({ id }) => id !== exceptId && id !== chosen?.id);
  const rows = chosen === null ? fitting : [chosen, ...fitting];
  if (rows.length === 0) return <Text c="dimmed">{t("contacts.no_match")}</Text>;
  return (
    <Radio.Group
      label={t("contacts.merge_into")}
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
