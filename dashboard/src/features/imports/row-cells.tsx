import { Skeleton } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import {
  importFields,
  type ChatRow,
  type ContactMapping,
  type ImportField,
} from "../../../../core/model/import.ts";
import { Status, type Tone } from "../../components/status.tsx";
import { useSession } from "../../lib/session.ts";
import { dayAndTime, exactTime } from "../../lib/time.ts";
import type { Import, ImportRow } from "./api.ts";
import { useReasonText } from "./reason-text.ts";

/** Fields of contacts that the list of rows shows. The others are in the file. */
const shownFields = ["name", "phone", "email"] as const satisfies ImportField[];

/** Heads of the list of rows. */
export function useRowHeads({ kind }: Pick<Import, "kind">): string[] {
  const { t } = useTranslation();
  const own =
    kind === "chat"
      ? [t("imports.check.sent_at"), t("imports.check.message")]
      : shownFields.map((field) => t(`imports.map.fields.${field}`));
  return [t("imports.check.row"), t("imports.check.result"), ...own, t("imports.check.details")];
}

const planTones: Record<ImportRow["plan"], Tone> = {
  create: "ok",
  update: "info",
  unchanged: "gray",
  skip: "warn",
  conflict: "bad",
};

const stateTones: Record<ImportRow["state"], Tone> = {
  pending: "gray",
  created: "ok",
  updated: "info",
  unchanged: "gray",
  skipped: "warn",
  conflict: "bad",
  failed: "bad",
  undone: "gray",
  kept: "warn",
};

interface RowCellsProps {
  one: Import;
  /** Undefined while the page of the row is loading. */
  row: ImportRow | undefined;
}

/**
 * Cells of a row: its number, its plan or outcome, its content, and the reason. A scrolled list
 * renders new rows only.
 */
export const RowCells = memo(function Cells({ one, row }: RowCellsProps) {
  if (row === undefined) return <Skeleton height={16} role="cell" />;
  return (
    <>
      <span role="cell" className="tabular">
        {row.row_number}
      </span>
      <span role="cell">
        <RowStatus row={row} />
      </span>
      {one.kind === "chat" ? (
        <ChatCells message={row.raw as ChatRow | null} />
      ) : (
        <ContactCells mapping={one.mapping as ContactMapping} cells={row.raw as string[] | null} />
      )}
      <Details row={row} />
    </>
  );
});

/** The outcome of a row, or its plan while it has none. */
function RowStatus({ row: { plan, state } }: { row: ImportRow }) {
  const { t } = useTranslation();
  if (state !== "pending") {
    return <Status tone={stateTones[state]}>{t(`imports.done.states.${state}`)}</Status>;
  }
  return <Status tone={planTones[plan]}>{t(`imports.check.plan.${plan}`)}</Status>;
}

interface ContactCellsProps {
  mapping: ContactMapping;
  cells: string[] | null;
}

function ContactCells({ mapping, cells }: ContactCellsProps) {
  return shownFields.map((field) => {
    const index = mapping.columns.find((one) => one.field === field)?.index;
    const text = index === undefined ? "" : (cells?.[index] ?? "");
    return (
      <span key={field} role="cell" dir="auto" title={text}>
        {text}
      </span>
    );
  });
}

function ChatCells({ message }: { message: ChatRow | null }) {
  const { t } = useTranslation();
  const { account } = useSession();
  if (message === null) {
    return (
      <>
        <span role="cell" />
        <span role="cell" />
      </>
    );
  }
  const { at, direction, text, file, kind } = message;
  const words = text === "" ? (file ?? t(`imports.check.kinds.${kind}`)) : text;
  return (
    <>
      <time role="cell" dateTime={at} title={exactTime(at, account.time_zone)}>
        {dayAndTime(at, account.time_zone)}
      </time>
      <span role="cell" dir="auto" title={words}>
        {direction === "out" && <b>{t("imports.check.from_us")}: </b>}
        {words}
      </span>
    </>
  );
}

/** The reason of a row, or the fields that it changes. */
function Details({ row: { reason, fields } }: { row: ImportRow }) {
  const { t, i18n } = useTranslation();
  const reasonText = useReasonText();
  const names = (fields ?? []).flatMap((field) => {
    const own = importFields.find((one) => one === field);
    return own === undefined ? [] : [t(`imports.map.fields.${own}`).toLocaleLowerCase()];
  });
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(names);
  const words =
    reason !== null
      ? reasonText(reason)
      : names.length > 0
        ? t("imports.check.changes", { fields: list })
        : "";
  return (
    <span role="cell" title={words}>
      {words}
    </span>
  );
}
