import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { QueryState } from "../../components/load-states.tsx";
import { channelPath } from "../../paths.ts";
import { useChannel, type Channel } from "./api.ts";
import { ChannelStatus } from "./channel-status.tsx";
import { channelName, reasonWords } from "../../lib/channel-words.ts";
import { RegisterForm } from "./register-form.tsx";
import { TestMessage } from "./test-message.tsx";

/** Last step: the channel's state, a missing registration, and a test message. */
export function DoneStep({ id }: { id: number }) {
  return (
    <QueryState query={useChannel(id)} rows={2}>
      {(channel) => channel !== null && <Connected channel={channel} />}
    </QueryState>
  );
}

function Connected({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const words = reasonWords(channel.reason);
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Text fw={600} dir="auto">
          {channelName(channel)}
        </Text>
        <ChannelStatus channel={channel} />
      </Group>
      {channel.state !== "connected" && words !== null && (
        <Alert color="warn" icon={<IconAlertTriangle aria-hidden />} title={words.reason}>
          {words.fix}
        </Alert>
      )}
      {channel.reason === "not_registered" && <RegisterForm channel={channel} />}
      <TestMessage channel={channel} />
      <Group justify="flex-end">
        <Button component={Link} to={channelPath(channel.id)} variant="default">
          {t("connecting.open")}
        </Button>
      </Group>
    </Stack>
  );
}
