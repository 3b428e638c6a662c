import { Button, Fieldset, Text, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useRef, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { optionBounds } from "../../../../core/model/interactive.ts";
import { IconAction } from "../../components/icon-action.tsx";
import styles from "./options-dialog.module.css";
import { emptyRow, troubleOf, type OptionRow } from "./use-options-draft.ts";

interface OptionRowsProps {
  rows: OptionRow[];
  onChange: (rows: OptionRow[]) => void;
}

/** Options with title and description. Enter in a title leads to the next one, or adds it. */
export function OptionRows({ rows, onChange }: OptionRowsProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLFieldSetElement>(null);
  const isFull = rows.length >= optionBounds.options;
  const focus = (index: number): void =>
    list.current?.querySelector<HTMLInputElement>(`[data-title="${index}"]`)?.focus();
  /** Rendered before the focus, because a new row has its field only then. */
  const set = (next: OptionRow[], focused: number): void => {
    flushSync(() => onChange(next));
    focus(focused);
  };
  const add = (): void => set([...rows, emptyRow], rows.length);
  const next = (index: number): void => {
    if (index + 1 < rows.length) focus(index + 1);
    else if (!isFull) add();
  };
  return (
    <Fieldset
      variant="unstyled"
      m={0}
      p={0}
      legend={
        <Text span size="sm" fw={500}>
          {t("option_message.options")}
        </Text>
      }
      ref={list}
    >
      {rows.map((row, index) => (
        <Row
          key={index}
          row={row}
          index={index}
          trouble={troubleOf(rows, index)}
          isOnly={rows.length === 1}
          onChange={(part) => onChange(rows.with(index, { ...row, ...part }))}
          onNext={() => next(index)}
          onRemove={() => set(rows.toSpliced(index, 1), Math.max(0, index - 1))}
        />
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        className={styles["add"] ?? ""}
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={isFull}
        onClick={add}
      >
        {t("option_message.add")}
      </Button>
    </Fieldset>
  );
}

interface RowProps {
  row: OptionRow;
  index: number;
  trouble: ReturnType<typeof troubleOf>;
  isOnly: boolean;
  onChange: (part: Partial<OptionRow>) => void;
  onNext: () => void;
  onRemove: () => void;
}

function Row({ row, index, trouble, isOnly, onChange, onNext, onRemove }: RowProps) {
  const { t } = useTranslation();
  const number = index + 1;
  const press = (event: KeyboardEvent): void => {
    // With Ctrl or Cmd, Enter sends the form.
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onNext();
  };
  return (
    <div className={styles["row"]}>
      <div className={styles["fields"]}>
        <TextInput
          aria-label={t("option_message.option", { number })}
          placeholder={t("option_message.option", { number })}
          maxLength={optionBounds.title}
          dir="auto"
          data-title={index}
          value={row.title}
          error={trouble !== null && t(`option_message.${trouble}`)}
          onChange={({ currentTarget }) => onChange({ title: currentTarget.value })}
          onKeyDown={press}
        />
        <TextInput
          aria-label={t("option_message.description", { number })}
          placeholder={t("option_message.description_hint")}
          maxLength={optionBounds.description}
          dir="auto"
          value={row.description}
          onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
          onKeyDown={press}
        />
      </div>
      <IconAction
        label={t("option_message.remove", { number })}
        disabled={isOnly}
        onClick={onRemove}
      >
        <IconX size={16} />
      </IconAction>
    </div>
  );
}
