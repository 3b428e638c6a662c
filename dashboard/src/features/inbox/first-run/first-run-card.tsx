import { CloseButton, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { PendingButton } from "../../../components/pending-button.tsx";
import { tellFailure } from "../../../lib/notify.ts";
import { useSession } from "../../../lib/session.ts";
import { conversationPath, deliveryPath } from "../../../paths.ts";
import { AddWebhookModal } from "./add-webhook-modal.tsx";
import { firstRunQuery, stepsOf, useSendFirstTest, type FirstRun } from "./api.ts";

interface FirstRunCardProps {
  /** Opens the form to write as a customer. */
  onWrite: () => void;
  onDismiss: () => void;
}

type Step = ReturnType<typeof stepsOf>[number]["key"];

/**
 * Card with the first steps in a new account, each with a button. It disappears once every step is
 * done.
 */
export function FirstRunCard({ onWrite, onDismiss }: FirstRunCardProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [adding, add] = useDisclosure(false);
  const { data } = useQuery(firstRunQuery(role));
  if (data === undefined) return null;
  const steps = stepsOf(data, role);
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;
  return (
    <Paper withBorder component="section" aria-label={t("first_run.title")} mx="md" mb="sm" p="sm">
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Title order={2} fz="md">
          {t("first_run.title")}{" "}
          <Text span size="xs" c="dimmed" fw={400} className="tabular">
            {t("first_run.done_of", { done, total: steps.length })}
          </Text>
        </Title>
        <CloseButton size="sm" aria-label={t("first_run.hide")} onClick={onDismiss} />
      </Group>
      <Stack component="ol" gap={2} p={0} m={0} style={{ listStyle: "none" }}>
        {steps.map((step) => (
          <StepRow key={step.key} step={step.key} done={step.done}>
            <StepAction step={step.key} run={data} onWrite={onWrite} onAdd={add.open} />
          </StepRow>
        ))}
      </Stack>
      {adding && <AddWebhookModal onClose={add.close} />}
    </Paper>
  );
}

interface StepRowProps {
  step: Step;
  done: boolean;
  children: React.ReactNode;
}

function StepRow({ step, done, children }: StepRowProps) {
  const { t } = useTranslation();
  return (
    <Group component="li" gap="xs" wrap="nowrap" mih={28}>
      {done ? (
        <IconCircleCheckFilled
          size={18}
          color="var(--parley-ok-dot)"
          role="img"
          aria-label={t("first_run.done")}
        />
      ) : (
        <IconCircle size={18} stroke={1.4} aria-hidden />
      )}
      <Text id={`first-run-${step}`} size="sm" flex={1} c={done ? "dimmed" : undefined}>
        {t(`first_run.${step}`)}
      </Text>
      {!done && children}
    </Group>
  );
}

interface StepActionProps {
  step: Step;
  run: FirstRun;
  onWrite: () => void;
  onAdd: () => void;
}

/** Button of a step; null where another step has to come first. */
function StepAction({ step, run, onWrite, onAdd }: StepActionProps) {
  const navigate = useNavigate();
  const { conversation_id: conversation, subscription_id: subscription } = run;
  switch (step) {
    case "wrote":
      return <StepButton step={step} onClick={onWrite} />;
    case "replied":
      if (conversation === null) return null;
      return (
        <StepButton step={step} onClick={() => void navigate(conversationPath(conversation))} />
      );
    case "webhook":
      return <StepButton step={step} onClick={onAdd} />;
    case "test":
      return subscription === null ? null : <TestButton subscriptionId={subscription} />;
  }
}

function TestButton({ subscriptionId }: { subscriptionId: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const send = useSendFirstTest();
  const go = (): void =>
    // The last step removes the card, perhaps before the answer arrives, so hook callbacks would
    // not run.
    void send.mutateAsync(subscriptionId).then(
      async (deliveryId) => await navigate(deliveryPath(subscriptionId, deliveryId)),
      (error: unknown) => tellFailure(t("first_run.not_sent"), error),
    );
  return <StepButton step="test" pending={send.isPending} onClick={go} />;
}

interface StepButtonProps {
  step: Step;
  onClick: () => void;
  pending?: boolean;
}

function StepButton({ step, onClick, pending = false }: StepButtonProps) {
  const { t } = useTranslation();
  return (
    <PendingButton
      size="compact-xs"
      variant="light"
      pending={pending}
      onClick={onClick}
      aria-describedby={`first-run-${step}`}
    >
      {t(`first_run.${step}_action`)}
    </PendingButton>
  );
}
