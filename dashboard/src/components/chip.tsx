import type { ReactNode } from "react";
import type { Hue } from "../lib/hues.ts";
import styles from "./status.module.css";

interface ChipProps {
  /** Colour that a user chose, with a dot. Without one the chip is slate, as for tags. */
  hue?: Hue;
  /** True for the absence of a value, such as "Unassigned". */
  outline?: boolean;
  children: ReactNode;
}

/** Small label of a stage, a service or a tag. */
export function Chip({ hue, outline = false, children }: ChipProps) {
  return (
    <span className={styles["chip"]} data-hue={hue ?? "slate"} data-outline={outline || undefined}>
      {hue !== undefined && <i className={styles["dot"]} aria-hidden />}
      <span className={styles["word"]} dir="auto">
        {children}
      </span>
    </span>
  );
}
