import { Code, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyAction } from "../../components/copy-text.tsx";
import { JsonText } from "../../components/json-text.tsx";

const looks = ["pretty", "raw"] as const;

interface EventBodyProps {
  body: string;
  /** Heading above the body, for a page on which the body is a part of its own. */
  title?: string;
  /** Further buttons beside Copy. */
  actions?: ReactNode;
}

/** Body of an event, formatted or as the signed bytes. The Copy button copies the shown form. */
export function EventBody({ body, title, actions }: EventBodyProps) {
  const { t } = useTranslation();
  const [look, setLook] = useState<(typeof looks)[number]>("pretty");
  const shown = look === "raw" ? body : JSON.stringify(JSON.parse(body), null, 2);
  const count = new TextEncoder().encode(body).length;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap={10}>
          {title !== undefined && <Title order={3}>{title}</Title>}
          <Text size="xs" c="dimmed" className="tabular">
            {t("deliveries.bytes", { count })}
          </Text>
        </Group>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t("deliveries.body")}
            value={look}
            onChange={setLook}
            data={looks.map((value) => ({ value, label: t(`deliveries.${value}`) }))}
          />
          {actions}
          <CopyAction
            value={shown}
            label={`${t("deliveries.body")} (${t(`deliveries.${look}`)})`}
          />
        </Group>
      </Group>
      <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {look === "raw" ? shown : <JsonText value={shown} />}
      </Code>
    </Stack>
  );
}
