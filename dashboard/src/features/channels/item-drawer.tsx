import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "../../components/code-block.tsx";
import { SideDialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { rawQuery, type ChannelItem } from "./api.ts";
import { itemKind, itemReason } from "../../lib/channel-words.ts";
import { RetryButton } from "./retry-button.tsx";

/** Drawer of an item that was set aside: the reason, and what Meta sent. */
export function ItemDrawer({ item, onClose }: { item: ChannelItem; onClose: () => void }) {
  const { t } = useTranslation();
  const raw = useQuery(rawQuery(item.id));
  return (
    <SideDialog onClose={onClose} size="lg" title={itemKind(item.kind)}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Text size="sm">
            {itemReason(item.reason)} · <Moment at={item.created_at} />
          </Text>
          <RetryButton item={item} />
        </Group>
        <QueryState query={raw} rows={3}>
          {({ item: read, webhook }) => (
            <>
              <Raw title={t("channels.raw_item")} value={read === null ? null : textOf(read)} />
              <Raw
                title={t("channels.raw_webhook")}
                value={webhook === null ? null : pretty(webhook)}
              />
            </>
          )}
        </QueryState>
      </Stack>
    </SideDialog>
  );
}

function Raw({ title, value }: { title: string; value: string | null }) {
  const { t } = useTranslation();
  return (
    <div>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {value === null ? (
        <Text size="sm" c="dimmed">
          {t("channels.raw_gone")}
        </Text>
      ) : (
        <CodeBlock value={value} label={title} />
      )}
    </div>
  );
}

function textOf(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** JSON in lines; any other text as it came. */
function pretty(text: string): string {
  try {
    return textOf(JSON.parse(text));
  } catch {
    return text;
  }
}
