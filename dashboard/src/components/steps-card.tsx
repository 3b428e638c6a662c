import { CloseButton, Group, Paper, Stack, Text, Title, type PaperProps } from "@mantine/core";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** A step with its words, and the button or link that takes it. */
export interface ShownStep {
  key: string;
  done: boolean;
  words: ReactNode;
  action?: ReactNode;
}

interface StepsCardProps extends PaperProps {
  title: string;
  steps: ShownStep[];
  onDismiss: () => void;
}

/** Card with first steps, each ticked once it is done. It goes once all of them are. */
export function StepsCard({ title, steps, onDismiss, ...paper }: StepsCardProps) {
  const { t } = useTranslation();
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;
  return (
    <Paper withBorder component="section" aria-label={title} p="sm" {...paper}>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Title order={2} fz="md">
          {title}{" "}
          <Text
            span
            size="xs"
            c="dimmed"
            fw={400}
            className="tabular"
            style={{ whiteSpace: "nowrap" }}
          >
            {t("first_run.done_of", { done, total: steps.length })}
          </Text>
        </Title>
        <CloseButton size="sm" aria-label={t("first_run.hide")} onClick={onDismiss} />
      </Group>
      <Stack component="ol" gap={2} p={0} m={0} style={{ listStyle: "none" }}>
        {steps.map((step) => (
          <Group key={step.key} component="li" gap="xs" wrap="nowrap" mih={28}>
            {step.done ? (
              <IconCircleCheckFilled
                size={18}
                color="var(--parley-ok-dot)"
                role="img"
                aria-label={t("first_run.done")}
              />
            ) : (
              <IconCircle size={18} stroke={1.4} aria-hidden />
            )}
            <Text
              component="div"
              id={`step-${step.key}`}
              size="sm"
              flex={1}
              c={step.done ? "dimmed" : undefined}
            >
              {step.words}
            </Text>
            {!step.done && step.action}
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
