import { Alert, Code, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ChannelCheckDetails } from "../../../../core/model/channel-setup.ts";
import { reasonWords } from "../../lib/channel-words.ts";

/** Why a check failed: the reason, the next move, and Meta's own words. */
export function CheckTrouble({ details }: { details: ChannelCheckDetails }) {
  const words = reasonWords(details.reason);
  return (
    <Alert
      color="bad"
      icon={<IconAlertTriangle aria-hidden />}
      title={words?.reason ?? details.next_step}
      role="alert"
    >
      <Stack gap="xs">
        {words !== null && <Text size="sm">{words.fix}</Text>}
        {details.missing_scopes.length > 0 && <Scopes scopes={details.missing_scopes} />}
        {details.provider_message !== null && (
          <MetaWords text={details.provider_message} code={details.provider_code} />
        )}
      </Stack>
    </Alert>
  );
}

/** Permissions that a token lacks. */
export function Scopes({ scopes }: { scopes: string[] }) {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="xs" fw={500}>
        {t("connecting.missing_scopes")}
      </Text>
      {scopes.map((scope) => (
        <Code key={scope} mr={6}>
          {scope}
        </Code>
      ))}
    </div>
  );
}

interface MetaWordsProps {
  text: string;
  code: string | null;
}

/** The words of Meta, unchanged, in Meta's language. */
export function MetaWords({ text, code }: MetaWordsProps) {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="xs" fw={500}>
        {code === null ? t("connecting.meta_says") : t("connecting.meta_says_code", { code })}
      </Text>
      <Text size="sm" component="blockquote" m={0} dir="auto" style={{ overflowWrap: "anywhere" }}>
        {text}
      </Text>
    </div>
  );
}
