import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { firstRunQuery, ownerStepsOf, useOwnMark } from "../../lib/first-run.ts";
import { paths } from "../../paths.ts";

/** Progress in the first steps, with a button that brings the dismissed cards back. */
export function FirstSteps() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [, setDismissed] = useOwnMark("first_run");
  const [isDeveloperDismissed, setDeveloperDismissed] = useOwnMark("developer_steps");
  const { data } = useQuery(firstRunQuery(ownerStepsOf));
  if (data === undefined) return null;
  const steps = ownerStepsOf(data);
  const done = steps.filter((step) => step.done).length;
  const isOpen = done < steps.length;
  const show = (): void => {
    setDismissed(false);
    setDeveloperDismissed(false);
    void navigate(isOpen ? paths.inbox : paths.webhooks);
  };
  return (
    <Stack component="section" gap={4} aria-labelledby="first-steps">
      <Title order={2} id="first-steps">
        {t("first_run.title")}
      </Title>
      <Group justify="space-between" gap="xs">
        <Text c="dimmed">{t("first_run.progress", { done, total: steps.length })}</Text>
        {(isOpen || isDeveloperDismissed) && (
          <Button variant="default" onClick={show}>
            {t("first_run.show")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
