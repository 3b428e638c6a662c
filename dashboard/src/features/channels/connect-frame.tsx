import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { StepFrame } from "../../components/step-frame.tsx";
import { connectSteps, type ConnectStep } from "./connect-draft.ts";

/** Steps of a new token: network and app stay as they are. */
const againSteps = connectSteps.filter((one) => one !== "network" && one !== "app");

interface ConnectFrameProps {
  step: ConnectStep;
  /** True where a channel gets a new token. */
  isAgain: boolean;
  children: ReactNode;
}

/** The steps of connecting a channel. */
export function ConnectFrame({ step, isAgain, children }: ConnectFrameProps) {
  const { t } = useTranslation();
  return (
    <StepFrame
      label={t("connecting.steps")}
      steps={isAgain ? againSteps : connectSteps}
      step={step}
      nameOf={(one) => t(`connecting.step.${one}`)}
      title={t(`connecting.title.${step}`)}
    >
      {children}
    </StepFrame>
  );
}
