import { Stack, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useEffect, useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import styles from "./channels.module.css";
import { connectSteps, type ConnectStep } from "./connect-draft.ts";

/** Steps of a new token: network and app stay as they are. */
const againSteps = connectSteps.filter((one) => one !== "network" && one !== "app");

interface StepFrameProps {
  step: ConnectStep;
  /** True where a channel gets a new token. */
  isAgain: boolean;
  children: ReactNode;
}

/** List of the steps, and the open step below its title. Each new step takes the keyboard focus. */
export function StepFrame({ step, isAgain, children }: StepFrameProps) {
  const { t } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) title.current?.focus();
    shown.current = step;
  }, [step]);
  return (
    <Stack gap="lg">
      <Trail step={step} steps={isAgain ? againSteps : connectSteps} />
      <Title order={2} ref={title} tabIndex={-1} className={styles["stepTitle"] ?? ""}>
        {t(`connecting.title.${step}`)}
      </Title>
      {children}
    </Stack>
  );
}

function Trail({ step, steps }: { step: ConnectStep; steps: readonly ConnectStep[] }) {
  const { t } = useTranslation();
  const at = steps.indexOf(step);
  return (
    <ol className={styles["trail"]} aria-label={t("connecting.steps")}>
      {steps.map((one, index) => (
        <li
          key={one}
          aria-current={one === step ? "step" : undefined}
          data-done={index < at || undefined}
        >
          <i aria-hidden>{index < at ? <IconCheck size={12} stroke={2.5} /> : index + 1}</i>
          <span>{t(`connecting.step.${one}`)}</span>
        </li>
      ))}
    </ol>
  );
}
