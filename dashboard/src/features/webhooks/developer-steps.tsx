import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { StepButton } from "../../components/step-button.tsx";
import { StepsCard } from "../../components/steps-card.tsx";
import { firstRunQuery, useOwnMark, type FirstRun } from "../../lib/first-run.ts";
import { tellFailure } from "../../lib/notify.ts";
import { deliveryPath, paths, subscriptionPath } from "../../paths.ts";
import { useSendTest } from "./api.ts";

/** Steps of a developer. This browser alone knows of a checked signature. */
function stepsOf(run: FirstRun, isChecked: boolean) {
  return [
    { key: "key", done: run.key_created },
    { key: "webhook", done: run.webhook_added },
    { key: "test", done: run.test_sent },
    { key: "verify", done: isChecked },
  ] as const;
}

/** Card with the steps from a key to a verified webhook. `onAdd` opens the form of a webhook. */
export function DeveloperSteps({ onAdd }: { onAdd: () => void }) {
  const [dismissed, setDismissed] = useOwnMark("developer_steps");
  if (dismissed) return null;
  return <Card onAdd={onAdd} onDismiss={() => setDismissed(true)} />;
}

function Card({ onAdd, onDismiss }: { onAdd: () => void; onDismiss: () => void }) {
  const { t } = useTranslation();
  const [isChecked] = useOwnMark("signature_checked");
  const { data } = useQuery(firstRunQuery((run) => stepsOf(run, isChecked)));
  if (data === undefined) return null;
  const { subscription_id: id } = data;
  const actions = {
    key: null,
    webhook: <StepButton step="webhook" onClick={onAdd} />,
    test: id !== null && <TestButton subscriptionId={id} />,
    verify: null,
  };
  const targets = {
    key: `${paths.apiKeys}?new=1`,
    verify: id === null ? null : `${subscriptionPath(id)}?tab=verification`,
    webhook: null,
    test: null,
  };
  const steps = stepsOf(data, isChecked).map(({ key, done }) => ({
    key,
    done,
    words: <Words text={t(`first_run.${key}`)} to={done ? null : targets[key]} />,
    action: actions[key],
  }));
  return (
    <StepsCard
      title={t("first_run.developers")}
      steps={steps}
      onDismiss={onDismiss}
      mb="md"
      maw={560}
    />
  );
}

function Words({ text, to }: { text: string; to: string | null }) {
  if (to === null) return text;
  return (
    <Anchor component={Link} to={to} display="block" py={{ base: 12, sm: 4 }}>
      {text}
    </Anchor>
  );
}

function TestButton({ subscriptionId }: { subscriptionId: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const send = useSendTest(subscriptionId);
  const go = (): void =>
    // The answer may tick the step before it arrives here, so hook callbacks would not run.
    void send.mutateAsync(undefined).then(
      async (deliveryId) => await navigate(deliveryPath(subscriptionId, deliveryId)),
      (error: unknown) => tellFailure(t("webhooks.not_sent"), error),
    );
  return <StepButton step="test" pending={send.isPending} onClick={go} />;
}
