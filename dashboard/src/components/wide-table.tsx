import { Anchor, Box, Table } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import styles from "./wide-table.module.css";

interface WideTableProps {
  /** Name of the table for screen readers. */
  label: string;
  /** Width in px below which the table scrolls sideways. */
  minWidth: number;
  children: ReactNode;
}

/** A table that scrolls within itself on a narrow screen, by keyboard too. */
export function WideTable({ label, minWidth, children }: WideTableProps) {
  return (
    <Box role="region" aria-label={label} tabIndex={0} className={styles["region"] ?? ""}>
      <Table miw={minWidth}>{children}</Table>
    </Box>
  );
}

/** Link to the page of a row. A click anywhere in the row follows the link. */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} className={styles["row"] ?? ""} underline="never" dir="auto">
      {children}
    </Anchor>
  );
}
