import { Stack, Tabs, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "../../components/code-block.tsx";
import type { Endpoint } from "./api.ts";
import { actionsOf, sampleBody } from "./samples.ts";
import { snippetLanguages, snippetOf } from "./snippets.ts";

const titles = { curl: "curl", node: "Node", python: "Python", php: "PHP" } as const;

/** Example programs that call this endpoint. */
export function CodeTabs({ endpoint: { kind, strict }, url }: { endpoint: Endpoint; url: string }) {
  const { t } = useTranslation();
  const [now] = useState(() => Date.now());
  const body = sampleBody(actionsOf[kind][0], now);
  return (
    <Stack gap="sm">
      <Text size="sm">{t(strict ? "inbound.code_strict" : "inbound.code_text")}</Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {snippetLanguages.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {titles[language]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippetLanguages.map((language) => (
          <Tabs.Panel key={language} value={language}>
            <CodeBlock
              value={snippetOf(language, { url, strict, body })}
              label={titles[language]}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
