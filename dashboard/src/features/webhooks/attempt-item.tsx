import { Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Status } from "../../components/status.tsx";
import { Chip } from "../../components/chip.tsx";
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
            {attempt.posts > 1 && <Chip>{t("deliveries.posts", { count: attempt.posts })}</Chip>}
            {attempt.manual && <Chip>{t("deliveries.manual")}</Chip>}
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
    return <Status tone="info">{t("delivery_state.sending")}</Status>;
  }
  return (
    <Status tone={isSuccess(attempt) ? "ok" : "bad"}>
      <ResponseSummary answer={{ ...attempt, duration_ms: durationMs }} />
    </Status>
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
