import { Checkbox, type CheckboxProps } from "@mantine/core";
import { useId } from "react";
import styles from "./tick.module.css";

interface TickProps extends Omit<CheckboxProps, "id" | "label" | "aria-label"> {
  /** Name for screen readers, as the box has no text beside it. */
  label: string;
}

/** Box to tick without a text beside it. A label around it widens the target. */
export function Tick({ label, ...box }: TickProps) {
  const id = useId();
  return (
    <label className={styles["tick"]} htmlFor={id}>
      <Checkbox {...box} id={id} aria-label={label} classNames={{ inner: styles["inner"] ?? "" }} />
    </label>
  );
}
