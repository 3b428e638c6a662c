import { Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { asLocale } from "../../../../core/model/user.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { KnowledgeHits } from "./knowledge-hits.tsx";
import { useTestSearch } from "../../lib/knowledge.ts";

/** Field that searches the approved items as the agent does, with a score for each. */
export function TestSearch() {
  const { t, i18n } = useTranslation();
  const [text, setText] = useState("");
  const search = useTestSearch();
  const language = asLocale(i18n.language);
  return (
    <Paper withBorder p="lg" maw={720} component="section" aria-label={t("knowledge.test")}>
      <Stack gap="sm">
        <Title order={2}>{t("knowledge.test")}</Title>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() === "") return;
            search.mutate(
              { text, language },
              { onError: (error) => tellFailure(t("knowledge.not_searched"), error) },
            );
          }}
        >
          <Group align="flex-end" gap="xs">
            <TextInput
              flex={1}
              label={t("knowledge.ask")}
              maxLength={2_000}
              dir="auto"
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <PendingButton type="submit" variant="default" pending={search.isPending}>
              {t("knowledge.try")}
            </PendingButton>
          </Group>
        </form>
        {search.data?.length === 0 && <Text role="status">{t("knowledge.no_hit")}</Text>}
        {search.data !== undefined && search.data.length > 0 && (
          <KnowledgeHits hits={search.data} />
        )}
      </Stack>
    </Paper>
  );
}
