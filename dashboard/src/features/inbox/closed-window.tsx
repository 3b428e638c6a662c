import { Alert, Text } from "@mantine/core";
import { IconClockOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { hasTemplates } from "../../../../core/model/channels.ts";
import type { Conversation } from "./api.ts";

/** Reason why free text cannot be sent now, with the next step that reopens the window. */
export function ClosedWindow({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const { channel, messaging_window } = conversation;
  const templates = hasTemplates(channel);
  const why = messaging_window.expires_at === null ? "never_wrote_text" : "closed_text";
  return (
    <Alert
      color="warn"
      title={t("composer.closed")}
      icon={<IconClockOff aria-hidden />}
      m="xs"
      mb={templates ? 0 : "xs"}
    >
      <Text size="sm">
        {t(`composer.${why}`)} {t(templates ? "composer.template_opens" : "composer.wait")}
      </Text>
    </Alert>
  );
}
