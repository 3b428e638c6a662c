import type { ReactNode } from "react";
import styles from "./status.module.css";

/** Meaning of a state. `warn` and `bad` need somebody, so only these have a tinted ground. */
export type Tone = "ok" | "info" | "gray" | "warn" | "bad";

interface StatusProps {
  tone: Tone;
  /** The word. The dot alone would say nothing to many people. */
  children: ReactNode;
  className?: string;
}

/** State of a thing as a dot and a word. */
export function Status({ tone, children, className = "" }: StatusProps) {
  return (
    <span className={`${styles["status"]} ${className}`} data-status data-tone={tone}>
      <i className={styles["dot"]} aria-hidden />
      <span className={styles["word"]}>{children}</span>
    </span>
  );
}
