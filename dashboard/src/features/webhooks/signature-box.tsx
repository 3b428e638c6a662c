import { Alert, Button, Group, List, PasswordInput, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOwnMark } from "../../lib/first-run.ts";
import { checkSignature, type Finding } from "./check-signature.ts";
import type { TestVector } from "./verification-code.ts";

/** Findings with which a receiver would accept the delivery. */
const good = new Set<Finding>(["service_fits", "standard_fits"]);

function areGood(findings: Finding[]): boolean {
  return findings.every((finding) => good.has(finding));
}

/** Form that checks a signature and names the input that differs. Nothing is sent. */
export function SignatureBox({ vector }: { vector: TestVector | null }) {
  const { t } = useTranslation();
  const [findings, setFindings] = useState<Finding[] | null>(null);
  const form = useForm({
    initialValues: {
      secret: vector?.secret ?? "",
      headers: vector === null ? "" : headersOf(vector),
      body: vector?.body ?? "",
    },
    onValuesChange: () => setFindings(null),
  });
  const [, setChecked] = useOwnMark("signature_checked");
  const check = form.onSubmit(async (values) => {
    const found = await checkSignature(values);
    setFindings(found);
    if (areGood(found)) setChecked(true);
  });
  return (
    <form onSubmit={check}>
      <Stack gap="sm">
        <PasswordInput
          label={t("webhooks.secret")}
          placeholder="whsec_…"
          autoComplete="off"
          visibilityToggleButtonProps={{ "aria-label": t("verify.show_secret") }}
          {...form.getInputProps("secret")}
        />
        <Textarea
          label={t("verify.headers")}
          description={t("verify.headers_text")}
          autosize
          minRows={4}
          maxRows={10}
          spellCheck={false}
          {...form.getInputProps("headers")}
        />
        <Textarea
          label={t("verify.raw_body")}
          description={t("verify.raw_body_text")}
          autosize
          minRows={4}
          maxRows={12}
          spellCheck={false}
          {...form.getInputProps("body")}
        />
        <Group justify="flex-end">
          <Button type="submit">{t("verify.check")}</Button>
        </Group>
        {findings !== null && <Findings findings={findings} />}
      </Stack>
    </form>
  );
}

function Findings({ findings }: { findings: Finding[] }) {
  const { t } = useTranslation();
  const fits = areGood(findings);
  return (
    <Alert
      role="status"
      color={fits ? "ok" : "bad"}
      icon={fits ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(fits ? "verify.fits" : "verify.differs")}
    >
      <List size="sm">
        {findings.map((finding) => (
          <List.Item key={finding}>{t(`verify.finding.${finding}`)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function headersOf(vector: TestVector): string {
  return [
    `X-Service-Signature: ${vector.x_service_signature}`,
    `webhook-id: ${vector.event_id}`,
    `webhook-timestamp: ${vector.timestamp}`,
    `webhook-signature: ${vector.webhook_signature}`,
  ].join("\n");
}
