import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface PageProps {
  title: string;
  text?: string;
  /** The page's one primary button. */
  action?: ReactNode;
  /** True for a page that uses the full width. */
  wide?: boolean;
  children: ReactNode;
}

/** Frame of every page but the inbox: title, purpose, action and content. */
export function Page({ title, text, action, wide = false, children }: PageProps) {
  useDocumentTitle(`${title} · Parley`);
  return (
    // Takes the keyboard focus where the focused element disappeared. A focus ring around the whole
    // page would say nothing.
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
