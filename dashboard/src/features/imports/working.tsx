import { Group, Loader, Paper, Stack, Text } from "@mantine/core";

/** Panel that says which work is under way, where no progress is known yet. */
export function Working({ title, text }: { title: string; text: string }) {
  return (
    <Paper withBorder p="lg" maw={720}>
      <Group wrap="nowrap" gap="md" align="flex-start">
        <Loader size={20} mt={2} aria-hidden />
        <Stack gap={4} role="status">
          <Text fw={500}>{title}</Text>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </Stack>
      </Group>
    </Paper>
  );
}
