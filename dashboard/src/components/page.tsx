import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface PageProps {
  title: string;
  text?: string;
  /** The page's one primary button. */
  action?: ReactNode;
  /** Takes all the room there is. */
  wide?: boolean;
  children: ReactNode;
}

/** A page that is no inbox: its title, what it is for, its action, its content. */
export function Page({ title, text, action, wide = false, children }: PageProps) {
  useDocumentTitle(`${title} · Parley`);
  return (
    // The keyboard goes on from here where what it was at is gone: nothing that a ring would tell of.
    <Box
      tabIndex={-1}
      style={{ outline: "none" }}
      p={{ base: "md", sm: "xl" }}
      maw={wide ? "none" : 1100}
      mx="auto"
    >
      <Group justify="space-between" align="flex-start" mb="lg">
        <Stack gap={2} flex={1} miw={240}>
          <Title order={1}>{title}</Title>
          {text !== undefined && <Text c="dimmed">{text}</Text>}
        </Stack>
        {action}
      </Group>
      {children}
    </Box>
  );
}
