import { Box, Table } from "@mantine/core";
import type { ReactNode } from "react";

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
    <Box role="region" aria-label={label} tabIndex={0} style={{ overflowX: "auto" }}>
      <Table verticalSpacing="sm" miw={minWidth}>
        {children}
      </Table>
    </Box>
  );
}
