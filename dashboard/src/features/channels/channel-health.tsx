import { Alert, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { MetaWords, Scopes } from "./check-trouble.tsx";
import type { Channel } from "./api.ts";
import { channelName, reasonWords, stateTones } from "../../lib/channel-words.ts";
import { DailyLimit } from "./daily-limit.tsx";
import { FailureTable } from "./failure-table.tsx";
import { HealthChecks } from "./health-checks.tsx";
import { Quality } from "./quality.tsx";
import { RegisterForm } from "./register-form.tsx";
import { TestMessage } from "./test-message.tsx";
import { Traffic } from "./traffic.tsx";

/** Health of a channel: the trouble and its fix, the checks, Meta's facts, and why messages failed. */
export function ChannelHealth({ channel }: { channel: Channel }) {
  const isWhatsapp = channel.driver === "whatsapp_cloud";
  return (
    <Stack gap="md">
      <Trouble channel={channel} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <HealthChecks channel={channel} />
        <Stack gap="md">
          {isWhatsapp && channel.facts !== null && <Quality facts={channel.facts} />}
          {isWhatsapp && channel.facts !== null && (
            <DailyLimit limit={channel.facts.messaging_limit} />
          )}
          {channel.state !== "disconnected" && <TestMessage channel={channel} />}
        </Stack>
      </SimpleGrid>
      <Traffic channel={channel} />
      <FailureTable failures={channel.failures} />
    </Stack>
  );
}

/** Reason of a state that needs somebody, its fix, and Meta's words. */
function Trouble({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const { state, reason, provider_message: message, token } = channel;
  if (state === "connected") return null;
  const words = reasonWords(reason);
  const missing = token?.missing_scopes ?? [];
  const isOff = state === "disconnected";
  return (
    <Alert
      color={isOff ? "gray" : stateTones[state]}
      icon={<IconAlertTriangle aria-hidden />}
      title={words?.reason ?? t(`channels.state.${state}`)}
      role="status"
    >
      <Stack gap="xs">
        {words !== null && <Text size="sm">{words.fix}</Text>}
        {missing.length > 0 && <Scopes scopes={missing} />}
        {message !== null && !isOff && <MetaWords text={message} code={null} />}
        {channel.held > 0 && (
          <Text size="sm">
            {t("channels.held", { count: channel.held, name: channelName(channel) })}
          </Text>
        )}
        {reason === "not_registered" && <RegisterForm channel={channel} />}
      </Stack>
    </Alert>
  );
}
