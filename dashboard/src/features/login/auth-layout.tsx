import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

/** Layout of the public pages: a card in the middle. */
export function AuthLayout({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} · Parley`);
  return (
    <Center component="main" mih="100vh" p="md" bg="var(--parley-canvas)">
      <Paper withBorder p="xl" w="100%" maw={400}>
        <Stack gap="md">
          <img src="/icon.svg" alt="" width={36} height={36} />
          <div>
            <Title order={1}>{title}</Title>
            {text !== undefined && <Text c="dimmed">{text}</Text>}
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
