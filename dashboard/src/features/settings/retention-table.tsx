import { Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { dayMs } from "../../../../core/model/durations.ts";
import { retentionMs } from "../../../../core/model/workflow/retention.ts";

/** Kinds of data that members may search for one day. Other purged data is of no use to them. */
const shown = [
  "events",
  "deliveries",
  "delivery_attempts",
  "inbound_requests",
  "notifications",
  "audit_log",
  "sessions",
  "user_links",
  "subscription_secrets",
  "idempotency_keys",
] as const satisfies (keyof typeof retentionMs)[];

/** Table of retention times. They are the same for every account. Open work is never purged. */
export function RetentionTable() {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg" maw={640}>
      <Stack gap="sm">
        <Title order={2}>{t("settings.retention")}</Title>
        <Text size="sm" c="dimmed">
          {t("settings.retention_text")}
        </Text>
        <Table aria-label={t("settings.retention")}>
          <Table.Tbody>
            <Row what={t("settings.kept.contacts")} time={t("settings.until_erased")} />
            {shown.map((kind) => (
              <Row
                key={kind}
                what={t(`settings.kept.${kind}`)}
                time={t("settings.days", { count: retentionMs[kind] / dayMs })}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  );
}

function Row({ what, time }: { what: string; time: string }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {what}
      </Table.Th>
      <Table.Td ta="right" className="tabular">
        {time}
      </Table.Td>
    </Table.Tr>
  );
}
