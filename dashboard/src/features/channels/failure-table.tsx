import { Paper, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { WideTable } from "../../components/wide-table.tsx";
import { failureWords } from "../../lib/channel-words.ts";
import type { Channel } from "./api.ts";

/** Why messages of the last day failed, most frequent reason first. */
export function FailureTable({ failures }: { failures: Channel["failures"] }) {
  const { t, i18n } = useTranslation();
  const total = failures.reduce((sum, { count }) => sum + count, 0);
  const title = total === 0 ? t("channels.no_failures") : t("channels.failures", { count: total });
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h3">
        {title}
      </Title>
      {total === 0 ? (
        <Text size="xs" c="dimmed" mt={4}>
          {t("channels.no_failures_text")}
        </Text>
      ) : (
        <WideTable
          label={title}
          minWidth={560}
          heads={[
            t("channels.failure_head"),
            { label: t("channels.failure_count"), isEnd: true },
            t("channels.failure_fix_head"),
          ]}
        >
          {failures.map(({ code, count }) => {
            const { reason, fix } = failureWords(code);
            return (
              <Table.Tr key={code}>
                <Table.Td>{reason}</Table.Td>
                <Table.Td ta="end" className="tabular">
                  {count.toLocaleString(i18n.language)}
                </Table.Td>
                <Table.Td>
                  <Text size="sm" c="var(--parley-ink-2)">
                    {fix}
                  </Text>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </WideTable>
      )}
    </Paper>
  );
}
