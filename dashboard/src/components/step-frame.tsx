import { Stack, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useEffect, useRef, type ReactNode } from "react";
import styles from "./step-frame.module.css";

interface StepFrameProps<Step extends string> {
  /** Name of the list of steps for screen readers. */
  label: string;
  steps: readonly Step[];
  /** The open step. */
  step: Step;
  nameOf: (step: Step) => string;
  title: string;
  children: ReactNode;
}

/** List of the steps, and the open step below its title. Each new step takes the keyboard focus. */
export function StepFrame<Step extends string>(props: StepFrameProps<Step>) {
  const { label, steps, step, nameOf, children } = props;
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) title.current?.focus();
    shown.current = step;
  }, [step]);
  const at = steps.indexOf(step);
  return (
    <Stack gap="lg">
      <ol className={styles["trail"]} aria-label={label}>
        {steps.map((one, index) => (
          <li
            key={one}
            aria-current={one === step ? "step" : undefined}
            data-done={index < at || undefined}
          >
            <i aria-hidden>{index < at ? <IconCheck size={12} stroke={2.5} /> : index + 1}</i>
            <span>{nameOf(one)}</span>
          </li>
        ))}
      </ol>
      <Title order={2} ref={title} tabIndex={-1} className={styles["title"] ?? ""}>
        {props.title}
      </Title>
      {children}
    </Stack>
  );
}
