import "@mantine/dates/styles.layer.css";
import "dayjs/locale/es.js";
import { ActionIcon, Popover, TextInput, VisuallyHidden, type TextInputProps } from "@mantine/core";
import { DatePicker } from "@mantine/dates";
import { useUncontrolled } from "@mantine/hooks";
import { IconCalendar } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { readWall, writtenWall, type WallKind } from "../lib/typed-wall.ts";

type Handled = "value" | "defaultValue" | "onChange" | "onBlur" | "type" | "title" | "placeholder";

interface WallFieldProps extends Omit<TextInputProps, Handled> {
  kind: WallKind;
  /** `2026-11-24`, `09:30` or `2026-11-24T09:30`; empty as long as the text cannot be read. */
  value?: string;
  defaultValue?: string;
  onChange?: (wall: string) => void;
  /** False for a field in a popover, which a click in a portal would close. */
  withinPortal?: boolean;
  /** Runs when the calendar opens and when it closes. */
  onCalendar?: (opened: boolean) => void;
}

const examples = { date: "24/11/2026", time: "16:30", datetime: "24/11/2026 16:30" };

/**
 * A day or a time, typed in the form of the Dashboard's language or picked from a calendar. A
 * native field of the browser would follow the browser's language.
 */
export function WallField(props: WallFieldProps) {
  const { kind, value, defaultValue, onChange, description, error, ...others } = props;
  const { withinPortal = true, onCalendar, ...rest } = others;
  const { t } = useTranslation();
  const [wall, setWall] = useUncontrolled({ value, defaultValue, finalValue: "", onChange });
  const { text, type, settle, isUnread, isTold, tell } = useTyping(kind, wall, setWall);
  const form = t(`dates.form.${kind}`);
  const problem = isUnread ? t("dates.unread", { form, example: examples[kind] }) : "";
  const input = useProblem(problem);
  const pick = (day: string): void => {
    const time = kind === "datetime" ? `T${wall.split("T")[1] ?? "00:00"}` : "";
    type(writtenWall(day + time));
  };
  return (
    <TextInput
      {...rest}
      ref={input}
      autoComplete="off"
      placeholder={form}
      title={form}
      description={
        description !== undefined && (
          <>
            {description} <VisuallyHidden>{form}</VisuallyHidden>
          </>
        )
      }
      error={isTold && isUnread ? problem : error}
      rightSection={
        kind !== "time" && (
          <DayButton
            field={typeof rest.label === "string" ? rest.label : rest["aria-label"]}
            day={wall.slice(0, 10)}
            onPick={pick}
            withinPortal={withinPortal}
            onCalendar={onCalendar}
          />
        )
      }
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onBlur={settle}
      onInvalid={tell}
    />
  );
}

/**
 * The typed text and the value that it gives. A change of the value from outside replaces the text.
 */
function useTyping(kind: WallKind, wall: string, setWall: (wall: string) => void) {
  const [typed, setTyped] = useState({ wall, text: writtenWall(wall) });
  const [isTold, setTold] = useState(false);
  const { text } = typed;
  const read = readWall(kind, text);
  if (wall !== typed.wall) {
    setTyped({ wall, text: wall === (read ?? "") ? text : writtenWall(wall) });
  }
  const write = (next: string): void => setTyped((before) => ({ ...before, text: next }));
  return {
    text,
    isUnread: read === null && text.trim() !== "",
    isTold,
    tell: () => setTold(true),
    type: (next: string) => {
      setTold(false);
      write(next);
      setWall(readWall(kind, next) ?? "");
    },
    /**
     * Shows a problem only now, not while the person types. An emptied field shows its value again,
     * where the owner keeps one.
     */
    settle: () => {
      setTold(true);
      const kept = text.trim() === "" ? wall : read;
      if (kept !== null) write(writtenWall(kept));
    },
  };
}

/** Blocks the submission of the form while there is a problem. */
function useProblem(problem: string) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.setCustomValidity(problem), [problem]);
  return input;
}

interface DayButtonProps {
  /** Name of the field, for the button's label. A dialog may have several calendars. */
  field: string | undefined;
  /** Chosen day as `2026-11-24`; empty where none is chosen. */
  day: string;
  onPick: (day: string) => void;
  withinPortal: boolean;
  onCalendar: WallFieldProps["onCalendar"];
}

function DayButton({ field, day, onPick, withinPortal, onCalendar }: DayButtonProps) {
  const { t, i18n } = useTranslation();
  const [opened, setOpened] = useState(false);
  const chosen = day === "" ? null : day;
  const turn = (next: boolean): void => {
    setOpened(next);
    onCalendar?.(next);
  };
  return (
    <Popover
      opened={opened}
      onChange={turn}
      position="bottom-end"
      withinPortal={withinPortal}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={field === undefined ? t("dates.calendar") : t("dates.calendarOf", { field })}
          onClick={() => turn(!opened)}
        >
          <IconCalendar size={16} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown style={{ "--mantine-primary-color-contrast": "var(--parley-on-accent)" }}>
        <DatePicker
          locale={i18n.language}
          previousLabel={t("common.previous")}
          nextLabel={t("common.next")}
          value={chosen}
          defaultDate={chosen ?? undefined}
          getDayProps={(date) => (date === chosen ? { "data-autofocus": true } : {})}
          onChange={(date) => {
            if (date !== null) onPick(date);
            turn(false);
          }}
          // Mantine's colours of outside days and weekends are too light to read.
          hideOutsideDates
          weekendDays={[]}
          // Escape closes the calendar alone, not the dialog below it.
          __stopPropagation
        />
      </Popover.Dropdown>
    </Popover>
  );
}
