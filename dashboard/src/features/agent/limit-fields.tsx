import { NumberInput, Paper, SimpleGrid, Stack, Switch, TagsInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { accountQuery } from "../../lib/account.ts";
import type { DraftFieldsProps } from "./draft-values.ts";

/** Limits of the agent's answers: sources, words, silence and budgets. */
export function LimitFields({ form, readOnly }: DraftFieldsProps) {
  const { t } = useTranslation();
  const currency = useQuery(accountQuery).data?.settings.currency ?? "";
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("agent.limits")}</Title>
        <Switch
          label={t("agent.strict")}
          description={t("agent.strict_text")}
          disabled={readOnly}
          {...form.getInputProps("strict", { type: "checkbox" })}
        />
        <TagsInput
          label={t("agent.blocked")}
          description={t("agent.blocked_text")}
          readOnly={readOnly}
          maxTags={200}
          {...form.getInputProps("blocked_words")}
        />
        <NumberInput
          label={t("agent.quiet")}
          description={t("agent.quiet_text")}
          min={0}
          max={15}
          allowDecimal={false}
          allowNegative={false}
          readOnly={readOnly}
          maw={240}
          {...form.getInputProps("quiet_seconds")}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(["daily_budget", "monthly_budget"] as const).map((field) => (
            <NumberInput
              key={field}
              label={t(`agent.${field}`)}
              placeholder={t("agent.no_limit")}
              rightSection={currency}
              rightSectionWidth={52}
              min={0}
              decimalScale={2}
              allowNegative={false}
              hideControls
              readOnly={readOnly}
              {...form.getInputProps(field)}
              error={form.errors[`${field}_micros`]}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}
