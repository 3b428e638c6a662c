import { Anchor, Group, List, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopyText } from "../../components/copy-text.tsx";
import { SideDialog } from "../../components/dialog.tsx";
import { Moment } from "../../components/moment.tsx";
import { VerdictStatus } from "../../components/states.tsx";
import { contactPath } from "../../paths.ts";
import type { InboundCall } from "./api.ts";
import { CompareBytes } from "./compare-bytes.tsx";
import { useRefusalText } from "./use-refusal-text.ts";

/** Drawer of a call: outcome, reason, and all stored data. */
export function CallDrawer({ call, onClose }: { call: InboundCall; onClose: () => void }) {
  const { t } = useTranslation();
  const why = useRefusalText(call);
  return (
    <SideDialog onClose={onClose} size="lg" title={call.event ?? t("inbound.no_action")}>
      <Stack gap="md">
        <Group gap="xs">
          <VerdictStatus verdict={call.verdict} />
          <Text size="sm" c="dimmed">
            {t("deliveries.outcome", {
              answer: call.status_code,
              time: `${call.duration_ms} ms`,
            })}
            {" · "}
            <Moment at={call.received_at} />
            {call.ip !== null && ` · ${call.ip}`}
          </Text>
        </Group>
        <Text>{why}</Text>
        {call.event_id !== null && (
          <CopyText value={call.event_id} label={t("deliveries.event_id")} />
        )}
        {call.contact_id !== null && (
          <Anchor component={Link} to={contactPath(call.contact_id)} size="sm">
            {t("contact.open")}
          </Anchor>
        )}
        {call.signature !== null && <Refused call={call} signature={call.signature} />}
        {call.body !== null && <CodeBlock value={call.body} label={t("deliveries.body")} />}
      </Stack>
    </SideDialog>
  );
}

interface RefusedProps {
  call: InboundCall;
  signature: NonNullable<InboundCall["signature"]>;
}

/**
 * Data of a call without a valid signature. The body is not stored, because no secret proves its
 * sender. The stored facts help to find the mistake.
 */
function Refused({ call: { body_bytes }, signature }: RefusedProps) {
  const { t } = useTranslation();
  const bytes = body_bytes ?? 0;
  return (
    <>
      <Stack gap="xs">
        <Title order={2}>{t("inbound.signed_bytes")}</Title>
        <Text size="sm">{t("inbound.signed_bytes_text", { count: bytes })}</Text>
        <CopyText value={signature.body_sha256} label="SHA-256" />
      </Stack>
      <CompareBytes bytes={bytes} sha256={signature.body_sha256} />
      <Stack gap="xs">
        <Title order={2}>{t("inbound.headers_came")}</Title>
        <List size="sm" ff="monospace">
          {signature.header_names.map((name) => (
            <List.Item key={name} fw={name === signature.header ? 600 : 400}>
              {name}
            </List.Item>
          ))}
        </List>
      </Stack>
    </>
  );
}
