import {
  Button,
  Code,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyAction } from "../../components/copy-text.tsx";
import type { Subscription } from "./api.ts";
import { SignatureBox } from "./signature-box.tsx";
import { AskModal } from "./subscription-actions.tsx";
import {
  languages,
  testVectors,
  verificationCode,
  type Language,
  type TestVector,
} from "./verification-code.ts";

interface VerificationTabProps {
  subscription: Subscription;
  isAdmin: boolean;
}

/** Tab about verification: secret, example code, manual check and test vectors. */
export function VerificationTab({ subscription, isAdmin }: VerificationTabProps) {
  const { t } = useTranslation();
  const [rotating, rotate] = useDisclosure(false);
  const [tried, setTried] = useState<TestVector | null>(null);
  return (
    <Stack gap="lg" maw={860}>
      <Section title={t("webhooks.secret")} text={t("verify.secret_text")}>
        {isAdmin && (
          <Group>
            <Button variant="default" onClick={rotate.open}>
              {t("webhooks.rotate")}
            </Button>
          </Group>
        )}
      </Section>
      <Section title={t("verify.code")} text={t("verify.code_text")}>
        <VerificationCode />
      </Section>
      <Section title={t("verify.box")} text={t("verify.box_text")}>
        <SignatureBox key={tried?.name} vector={tried} />
      </Section>
      <Section title={t("verify.vectors")} text={t("verify.vectors_text")}>
        <Vectors onTry={setTried} />
      </Section>
      {rotating && (
        <AskModal
          id={subscription.id}
          name={subscription.name}
          asked="rotate"
          onClose={rotate.close}
        />
      )}
    </Stack>
  );
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Paper component="section" aria-label={title} withBorder p="lg">
      <Title order={2} mb={4}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {text}
      </Text>
      {children}
    </Paper>
  );
}

const names: Record<Language, string> = { js: "Node", python: "Python", php: "PHP" };

function VerificationCode() {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<Language>("js");
  const code = verificationCode(language);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={t("verify.language")}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
          data={languages.map((value) => ({ value, label: names[value] }))}
        />
        <CopyAction value={code} label={t("verify.code")} />
      </Group>
      <Code block tabIndex={0} mah={420} style={{ overflow: "auto" }}>
        {code}
      </Code>
    </Stack>
  );
}

function Vectors({ onTry }: { onTry: (vector: TestVector) => void }) {
  const { t } = useTranslation();
  return (
    <Table verticalSpacing="sm">
      <Table.Tbody>
        {testVectors.map((vector) => (
          <Table.Tr key={vector.name}>
            <Table.Td>{vector.name}</Table.Td>
            <Table.Td>
              <Group gap="xs" justify="flex-end" wrap="nowrap">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`${t("verify.try")}: ${vector.name}`}
                  onClick={() => onTry(vector)}
                >
                  {t("verify.try")}
                </Button>
                <CopyAction value={JSON.stringify(vector, null, 2)} label={vector.name} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
