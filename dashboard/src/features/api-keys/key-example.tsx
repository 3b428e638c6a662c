import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Scope } from "../../../../core/model/principal.ts";
import { CodeBlock } from "../../components/code-block.tsx";

/**
 * Example call with a new key, as a curl command. It contains the key, so it appears only beside
 * the new key.
 */
export function KeyExample({ apiKey, scopes }: { apiKey: string; scopes: Scope[] }) {
  const { t } = useTranslation();
  const call = calls.find(({ scope }) => scopes.includes(scope));
  if (call === undefined) return null;
  const { path, body } = call;
  const lines = [
    `curl -sS "${window.location.origin}/api/v1${path}"`,
    `-H "Authorization: Bearer ${apiKey}"`,
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d '${body}'`]),
  ];
  return (
    <Stack gap="xs">
      <Text size="sm">{t("keys.example")}</Text>
      <CodeBlock value={lines.join(" \\\n  ")} label="curl" />
    </Stack>
  );
}

/** Example call per scope. Calls that only read come first, because they change nothing. */
const calls: { scope: Scope; path: string; body?: string }[] = [
  { scope: "contacts:read", path: "/contacts?limit=1" },
  { scope: "conversations:read", path: "/conversations?limit=1" },
  { scope: "contacts:write", path: "/contacts", body: '{"phone":"5215512345678","name":"Ana"}' },
  { scope: "conversations:write", path: "/conversations", body: '{"phone":"5215512345678"}' },
  { scope: "bot:manage", path: "/conversations/1/bot", body: '{"enabled":false}' },
];
