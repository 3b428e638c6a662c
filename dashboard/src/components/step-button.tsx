import { useTranslation } from "react-i18next";
import { PendingButton } from "./pending-button.tsx";

interface StepButtonProps {
  step: "wrote" | "replied" | "webhook" | "test";
  onClick: () => void;
  pending?: boolean;
}

/** Button that takes a first step. The words of the step describe the button. */
export function StepButton({ step, onClick, pending = false }: StepButtonProps) {
  const { t } = useTranslation();
  return (
    <PendingButton
      size="compact-xs"
      variant="light"
      pending={pending}
      onClick={onClick}
      aria-describedby={`step-${step}`}
    >
      {t(`first_run.${step}_action`)}
    </PendingButton>
  );
}
