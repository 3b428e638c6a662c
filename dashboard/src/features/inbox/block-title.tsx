import { Title } from "@mantine/core";

/** Head of a part of the contact's card. */
export function BlockTitle({ children }: { children: string }) {
  return (
    <Title order={3} size="h4">
      {children}
    </Title>
  );
}
