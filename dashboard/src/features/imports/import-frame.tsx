import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "../../components/page.tsx";
import { StepFrame } from "../../components/step-frame.tsx";
import { paths } from "../../paths.ts";

const steps = ["upload", "map", "check", "run"] as const;

/** Steps of an import. */
export type ImportStep = (typeof steps)[number];

interface ImportFrameProps {
  /** Name of the file. */
  name: string;
  aside?: ReactNode;
  action?: ReactNode;
  step: ImportStep;
  /** Title of the open step. */
  title: string;
  children: ReactNode;
}

/** Page of one import: its name, the list of steps, and the open step. */
export function ImportFrame({ name, aside, action, step, title, children }: ImportFrameProps) {
  const { t } = useTranslation();
  return (
    <Page
      title={name}
      parent={{ to: paths.imports, label: t("imports.title") }}
      aside={aside}
      action={action}
    >
      <StepFrame
        label={t("imports.steps")}
        steps={steps}
        step={step}
        nameOf={(one) => t(`imports.step.${one}`)}
        title={title}
      >
        {children}
      </StepFrame>
    </Page>
  );
}
