import { Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { TemplateSyncView } from "../../../../core/model/template-list.ts";
import { QueryState } from "../../components/load-states.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { templatesQuery, type Conversation, type ListedTemplate } from "./api.ts";
import styles from "./composer.module.css";
import { TemplateValuesForm } from "./template-values-form.tsx";
import { useTemplateDraft } from "./use-template-draft.ts";

interface TemplatePickerProps {
  conversation: Conversation;
  onSent: () => void;
}

/** Search over the approved templates of the channel, then the values of the chosen one. */
export function TemplatePicker({ conversation, onSent }: TemplatePickerProps) {
  const stored = useTemplateDraft(conversation);
  const { template } = stored.draft;
  const [search, setSearch] = useState("");
  const begun = useQuery({
    ...templatesQuery(conversation.id, template?.name ?? ""),
    enabled: template !== null,
  });
  // A template that was begun earlier takes no focus from elsewhere on the page.
  const [isChosenHere, setChosenHere] = useState(false);
  if (template !== null) {
    // The stored one may be days old. The customer gets the text as it is now.
    const current = begun.data?.data.find(({ id }) => id === template.id) ?? template;
    return (
      <TemplateValuesForm
        key={JSON.stringify([current.id, current.placeholders])}
        template={current}
        conversation={conversation}
        stored={stored}
        hasFocus={isChosenHere}
        onSent={onSent}
      />
    );
  }
  return (
    <TemplateSearch
      conversationId={conversation.id}
      search={search}
      onSearch={setSearch}
      onChoose={(chosen) => {
        stored.change({ template: chosen, values: {}, file: null });
        setChosenHere(true);
      }}
    />
  );
}

interface TemplateSearchProps {
  conversationId: number;
  search: string;
  onSearch: (search: string) => void;
  onChoose: (template: ListedTemplate) => void;
}

function TemplateSearch({ conversationId, search, onSearch, onChoose }: TemplateSearchProps) {
  const { t } = useTranslation();
  const query = useQuery(templatesQuery(conversationId, search));
  return (
    <Stack gap="xs">
      <SearchInput
        label={t("composer.search_templates")}
        placeholder={t("composer.search_templates")}
        value={search}
        onChange={onSearch}
      />
      <QueryState query={query} rows={2}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoTemplates search={search} state={meta.sync.state} />
          ) : (
            <ul className={styles["templates"]} aria-label={t("composer.templates")}>
              {data.map((template) => (
                <li key={template.id}>
                  <TemplateOption template={template} onChoose={() => onChoose(template)} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Stack>
  );
}

/** Reason why no template can be chosen, with the next step. */
function NoTemplates({ search, state }: { search: string; state: TemplateSyncView["state"] }) {
  const { t } = useTranslation();
  const reason = search === "" ? state : "none_found";
  return (
    <Text size="sm" c="dimmed" role="status" py="xs">
      {t(`composer.list_${reason}`)}
    </Text>
  );
}

function TemplateOption({
  template,
  onChoose,
}: {
  template: ListedTemplate;
  onChoose: () => void;
}) {
  const { t } = useTranslation();
  const { name, language, body, usable } = template;
  return (
    <UnstyledButton
      className={styles["templateOption"] ?? ""}
      disabled={!usable}
      onClick={onChoose}
    >
      <Text span display="block" size="sm" fw={600} truncate>
        {name}{" "}
        <Text span size="xs" c="dimmed">
          {language}
        </Text>
      </Text>
      <Text span display="block" size="xs" c="dimmed" truncate dir="auto">
        {usable ? body : t("composer.unsupported")}
      </Text>
    </UnstyledButton>
  );
}
