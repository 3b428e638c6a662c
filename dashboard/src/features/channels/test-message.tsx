import { Anchor, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { conversationPath } from "../../paths.ts";
import { useTestMessage, type Channel } from "./api.ts";
import { channelAddress } from "../../lib/channel-words.ts";

/** Sends a test message to somebody who has written to the channel. */
export function TestMessage({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const [to, setTo] = useState("");
  const send = useTestMessage(channel.id);
  const isPhone = channel.driver === "whatsapp_cloud";
  return (
    <Paper withBorder p="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate({ to: to.trim() });
        }}
      >
        <Stack gap="xs">
          <Title order={2} size="h3">
            {t("channels.test")}
          </Title>
          <Text size="sm">{t("channels.test_text", { address: channelAddress(channel) })}</Text>
          <Group align="flex-end" gap="xs">
            <TextInput
              flex={1}
              miw={200}
              label={t(isPhone ? "channels.test_phone" : "channels.test_id")}
              inputMode={isPhone ? "tel" : "text"}
              required
              withAsterisk={false}
              value={to}
              error={send.error !== null && errorText(send.error)}
              onChange={({ currentTarget }) => setTo(currentTarget.value)}
            />
            <PendingButton
              type="submit"
              variant="default"
              pending={send.isPending}
              disabled={to.trim() === ""}
            >
              {t("channels.test_send")}
            </PendingButton>
          </Group>
          {send.data !== undefined && (
            <Text size="sm" role="status">
              {t("channels.test_sent")}{" "}
              <Anchor
                component={Link}
                to={conversationPath(send.data.conversation_id)}
                inherit
                underline="always"
              >
                {t("channels.test_open")}
              </Anchor>
            </Text>
          )}
        </Stack>
      </form>
    </Paper>
  );
}
