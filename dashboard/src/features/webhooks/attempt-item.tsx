import { Badge, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconSend } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Moment } from "../../components/moment.tsx";
import { ResponseSummary } from "./response-summary.tsx";
import { isSuccess } from "./answer.ts";
import type { Attempt } from "./deliveries-api.ts";

/** An attempt: time, answer, duration, and the headers of both sides. */
export function AttemptItem({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Text fw={500}>{t("deliveries.attempt", { number: attempt.number })}</Text>
            <Outcome attempt={attempt} />
            {attempt.posts > 1 && (
              <Badge color="warn">{t("deliveries.posts", { count: attempt.posts })}</Badge>
            )}
            {attempt.manual && <Badge color="gray">{t("deliveries.manual")}</Badge>}
          </Group>
          <Text size="xs" c="dimmed">
            <Moment at={attempt.started_at} />
          </Text>
        </Group>
        <Text size="xs" ff="monospace">
          POST {attempt.request_url} {attempt.ip !== null && `(${attempt.ip})`}
        </Text>
        <Headers title={t("deliveries.request_headers")} headers={attempt.request_headers} />
        <Headers title={t("deliveries.response_headers")} headers={attempt.response_headers} />
        {attempt.response_excerpt !== null && attempt.response_excerpt !== "" && (
          <Code block tabIndex={0}>
            {attempt.response_excerpt}
          </Code>
        )}
      </Stack>
    </Paper>
  );
}

/** `500 in 312 ms`, or the reason why no answer arrived. */
function Outcome({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation();
  const { duration_ms: durationMs } = attempt;
  if (durationMs === null) {
    return (
      <Badge color="info" leftSection={<IconSend size={12} aria-hidden />}>
        {t("delivery_state.sending")}
      </Badge>
    );
  }
  const succeeded = isSuccess(attempt);
  const Picture = succeeded ? IconCheck : IconAlertTriangle;
  return (
    <Badge color={succeeded ? "ok" : "bad"} leftSection={<Picture size={12} aria-hidden />}>
      <ResponseSummary answer={{ ...attempt, duration_ms: durationMs }} />
    </Badge>
  );
}

function Headers({ title, headers }: { title: string; headers: Record<string, string> | null }) {
  if (headers === null) return null;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>
        <Text span size="xs">
          {title}
        </Text>
      </summary>
      <Code block tabIndex={0}>
        {lines.join("\n")}
      </Code>
    </details>
  );
}
