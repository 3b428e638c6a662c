import { Box, Table } from "@mantine/core";
import type { ReactNode } from "react";

interface WideTableProps {
  /** What the table holds. */
  label: string;
  /** Pixels below which it scrolls sideways. */
  minWidth: number;
  children: ReactNode;
}

/** A table that scrolls within itself where there is no room, by keyboard too. */
export function WideTable({ label, minWidth, children }: WideTableProps) {
  return (
    <Box role="region" aria-label={label} tabIndex={0} style={{ overflowX: "auto" }}>
      <Table verticalSpacing="sm" miw={minWidth}>
        {children}
      </Table>
    </Box>
  );
}
