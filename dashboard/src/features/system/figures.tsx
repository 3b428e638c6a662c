import { Paper, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface FiguresProps {
  title: string;
  text?: string;
  /** Label and figure. Numbers are formatted in the user's language. */
  rows: [string, number | string][];
}

/** Table of some figures under a title. */
export function Figures({ title, text, rows }: FiguresProps) {
  const { i18n } = useTranslation();
  return (
    <Paper withBorder p="md">
      <Title order={2}>{title}</Title>
      {text !== undefined && (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
      <Table aria-label={title} mt="xs">
        <Table.Tbody>
          {rows.map(([word, figure]) => (
            <Table.Tr key={word}>
              <Table.Th scope="row" fw={400}>
                {word}
              </Table.Th>
              <Table.Td ta="right" className="tabular">
                {typeof figure === "number" ? figure.toLocaleString(i18n.language) : figure}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
