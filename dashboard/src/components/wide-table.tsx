import { Anchor, Box, Table, UnstyledButton } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import { Link } from "react-router";
import styles from "./wide-table.module.css";

/** Head of a column with more than a name, such as a button that sorts. */
export interface TableHead {
  /** Name of the column, which a card of a phone shows above the value. */
  label: string;
  content?: ReactNode;
  /** Direction of the order, where the table is sorted by this column. */
  sort?: "ascending" | "descending";
  /** True for a column of figures or times, which end at the same edge. */
  isEnd?: boolean;
}

interface WideTableProps {
  /** Name of the table for screen readers. */
  label: string;
  /** Width in px below which the table scrolls sideways. */
  minWidth: number;
  /** A name for each column; empty for a column of actions. None for a table without heads. */
  heads?: (string | TableHead)[];
  /** True if the first column has a box to select the row. */
  hasTicks?: boolean;
  children: ReactNode;
}

/**
 * A table that scrolls within itself on a narrow screen, by keyboard too. On a phone each row is a
 * card: the first cell is its title, and each other value has the name of its column.
 */
export function WideTable(props: WideTableProps) {
  const { label, minWidth, heads = [], hasTicks = false, children } = props;
  const columns = heads.map((head) => (typeof head === "string" ? { label: head } : head));
  return (
    <Box role="region" aria-label={label} tabIndex={0} className={styles["region"] ?? ""}>
      <Table
        style={{ ...namesOf(columns), "--table-width": `${minWidth}px` }}
        data-heads={columns.length > 0 || undefined}
        data-ticks={hasTicks || undefined}
        data-actions={columns.at(-1)?.label === "" || undefined}
      >
        {columns.length > 0 && (
          <Table.Thead>
            <Table.Tr>
              {columns.map((head, index) => (
                <Head key={head.label === "" ? index : head.label} {...head} />
              ))}
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Box>
  );
}

function Head({ label, content, sort, isEnd = false }: TableHead) {
  // A head without words is no head for screen readers.
  if (label === "" && content === undefined) return <Table.Td />;
  return (
    <Table.Th aria-sort={sort} {...(isEnd ? { ta: "end" as const } : {})}>
      {content ?? label}
    </Table.Th>
  );
}

/** The names as strings of CSS, from which the style sheet labels the values of a card. */
function namesOf(columns: TableHead[]): CSSProperties {
  return Object.fromEntries(
    columns.map(({ label }, index) => [
      `--head-${index + 1}`,
      label === "" ? "none" : JSON.stringify(label),
    ]),
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

/** Button of a row that opens beside the list. A click anywhere in the row presses the button. */
export function RowButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <UnstyledButton className={styles["row"] ?? ""} onClick={onClick}>
      {children}
    </UnstyledButton>
  );
}
