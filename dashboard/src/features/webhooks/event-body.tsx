import { Code, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyAction } from "../../components/copy-text.tsx";

const looks = ["pretty", "raw"] as const;

/** Body of an event, formatted or as the signed bytes. The Copy button copies the shown form. */
export function EventBody({ body }: { body: string }) {
  const { t } = useTranslation();
  const [look, setLook] = useState<(typeof looks)[number]>("pretty");
  const shown = look === "raw" ? body : JSON.stringify(JSON.parse(body), null, 2);
  const count = new TextEncoder().encode(body).length;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={t("deliveries.body")}
          value={look}
          onChange={setLook}
          data={looks.map((value) => ({ value, label: t(`deliveries.${value}`) }))}
        />
        <Group gap={4}>
          {look === "raw" && (
            <Text size="xs" c="dimmed" className="tabular">
              {t("deliveries.bytes", { count })}
            </Text>
          )}
          <CopyAction
            value={shown}
            label={`${t("deliveries.body")} (${t(`deliveries.${look}`)})`}
          />
        </Group>
      </Group>
      <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {shown}
      </Code>
    </Stack>
  );
}
