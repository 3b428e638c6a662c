import { Button, Select, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { knowledgeStates } from "../../../../core/model/agent.ts";
import { locales } from "../../../../core/model/user.ts";
import { EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Pager } from "../../components/pager.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { offsetIn, useUrlFilters } from "../../lib/url-filters.ts";
import { AgentFrame } from "./agent-frame.tsx";
import styles from "./agent.module.css";
import { Gaps } from "./gaps.tsx";
import { ItemModal } from "../../components/agent/item-modal.tsx";
import { ItemTable } from "./item-table.tsx";
import { itemsQuery, type Item, type ItemFilter } from "../../lib/knowledge.ts";
import { Sources } from "./sources.tsx";
import { Suggestions } from "./suggestions.tsx";
import { TestSearch } from "./test-search.tsx";

/** Page of the agent's knowledge: gaps, items and a test search. The URL keeps the filter. */
export function KnowledgePage() {
  const { t } = useTranslation();
  const [adding, add] = useDisclosure(false);
  return (
    <AgentFrame
      tab={t("knowledge.title")}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
          {t("knowledge.add")}
        </Button>
      }
    >
      <Stack gap="lg">
        <Suggestions />
        <Gaps />
        <Items onAdd={add.open} />
        <Sources />
        <TestSearch />
      </Stack>
      {adding && <ItemModal item={null} onClose={add.close} />}
    </AgentFrame>
  );
}

/** The form of an item outlives its row, which a filter or a newer item may take off the page. */
function Items({ onAdd }: { onAdd: () => void }) {
  const [editing, setEditing] = useState<Item | null>(null);
  return (
    <>
      <ItemList onAdd={onAdd} onEdit={setEditing} />
      {editing !== null && <ItemModal item={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

interface ItemListProps {
  onAdd: () => void;
  onEdit: (item: Item) => void;
}

function ItemList({ onAdd, onEdit }: ItemListProps) {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const filter = filterOf(params);
  const offset = offsetIn(params);
  const page = useQuery(itemsQuery(filter, offset));
  const isNarrowed = Object.keys(filter).length > 0;
  const words = isNarrowed ? "no_match" : "empty";
  return (
    <div>
      <div className={styles["filters"]}>
        <SearchInput
          label={t("knowledge.search")}
          placeholder={t("knowledge.search")}
          value={params.get("q") ?? ""}
          onChange={(text) => set("q", text.trim())}
        />
        <Select
          clearable
          aria-label={t("agent.state")}
          placeholder={t("knowledge.any_state")}
          value={filter.state ?? null}
          onChange={(value) => set("state", value)}
          data={knowledgeStates.map((value) => ({ value, label: t(`knowledge.states.${value}`) }))}
        />
        <Select
          clearable
          aria-label={t("settings.language")}
          placeholder={t("knowledge.any_language")}
          value={filter.language ?? null}
          onChange={(value) => set("language", value)}
          data={locales.map((value) => ({ value, label: t(`canned.locale.${value}`) }))}
        />
      </div>
      <QueryState query={page}>
        {({ data, meta }) =>
          meta.total === 0 ? (
            <EmptyList
              title={t(`knowledge.${words}`)}
              text={t(`knowledge.${words}_text`)}
              first={t("knowledge.add_first")}
              onFirst={isNarrowed ? null : onAdd}
            />
          ) : (
            <>
              <ItemTable rows={data} onEdit={onEdit} />
              {data.length === 0 && <Text>{t("common.empty_page")}</Text>}
              <Pager meta={meta} onMove={(to, how) => set("offset", String(to), how)} />
            </>
          )
        }
      </QueryState>
    </div>
  );
}

function filterOf(params: URLSearchParams): ItemFilter {
  const state = knowledgeStates.find((one) => one === params.get("state"));
  const language = locales.find((one) => one === params.get("language"));
  const q = params.get("q") ?? "";
  return {
    ...(state === undefined ? {} : { state }),
    ...(language === undefined ? {} : { language }),
    ...(q === "" ? {} : { q }),
  };
}
