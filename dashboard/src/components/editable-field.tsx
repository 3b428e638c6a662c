import { ActionIcon, Alert, TextInput, Tooltip, UnstyledButton } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import styles from "./editable-field.module.css";

interface EditableFieldProps {
  label: string;
  /** The stored text; empty where there is none. */
  value: string;
  type?: "text" | "tel" | "email";
  maxLength?: number;
  /** Look of the stored text. Without a text the field offers to add one. */
  children: ReactNode;
  /** Text of the button that adds a value. */
  addLabel: string;
  /** Saves a text; empty text clears the field. @returns the error to show, or null. */
  save: (text: string) => Promise<string | null>;
}

/** Text that somebody types, and the stored value when they began. */
interface Edit {
  text: string;
  before: string;
  saving: boolean;
  error: string | null;
  /** True where the opened field takes the keyboard focus. */
  takesFocus: boolean;
}

/**
 * A value that is edited where it stands. Enter and leaving the field save, Escape reverts. A
 * refused text comes back with the reason. A text over somebody else's newer value is saved only by
 * Enter, after a warning.
 */
export function EditableField(props: EditableFieldProps) {
  const { label, value, children, addLabel } = props;
  const { t } = useTranslation();
  const editing = useEditing(props);
  const { edit, opener } = editing;
  if (edit !== null && !edit.saving) return <Editor {...props} edit={edit} editing={editing} />;
  if (value === "") {
    return (
      <UnstyledButton ref={opener} className={styles["add"] ?? ""} onClick={editing.begin}>
        {addLabel}
      </UnstyledButton>
    );
  }
  const word = t("common.edit_field", { field: label });
  return (
    <div className={styles["shown"]}>
      <span className={styles["value"]}>{children}</span>
      <Tooltip label={word}>
        <ActionIcon
          ref={opener}
          variant="subtle"
          color="gray"
          size="var(--parley-control-tiny)"
          className={styles["pencil"] ?? ""}
          aria-label={word}
          onClick={editing.begin}
        >
          <IconPencil size={14} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

interface EditorProps extends EditableFieldProps {
  edit: Edit;
  editing: ReturnType<typeof useEditing>;
}

function Editor({ label, value, type = "text", maxLength, edit, editing }: EditorProps) {
  const { t } = useTranslation();
  const crossed = value !== edit.before;
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") void editing.submit(true);
    else if (event.key === "Escape") editing.revert();
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles["editor"]}>
      <TextInput
        size="xs"
        type={type}
        maxLength={maxLength}
        dir="auto"
        autoFocus={edit.takesFocus}
        aria-label={label}
        // A drawer around the field would close with the same Escape.
        data-mantine-stop-propagation="true"
        value={edit.text}
        error={edit.error}
        errorProps={{ role: "alert" }}
        onChange={(event) => editing.type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (!crossed && edit.error === null) void editing.submit(false);
        }}
      />
      {crossed && (
        <Alert color="warn" p="xs" mt={4} role="status">
          {t("contact.changed_meanwhile", { field: label, value: value || "–" })}
        </Alert>
      )}
    </div>
  );
}

function useEditing({ value, save }: EditableFieldProps) {
  const [edit, setEdit] = useState<Edit | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const focusDue = useRef(false);
  useEffect(() => {
    if (!focusDue.current || (edit !== null && !edit.saving)) return;
    // The field had the keyboard focus, and its button takes the place of the field.
    opener.current?.focus();
    focusDue.current = false;
  }, [edit]);
  const begin = (): void =>
    setEdit({ text: value, before: value, saving: false, error: null, takesFocus: true });
  const revert = (): void => {
    focusDue.current = true;
    setEdit(null);
  };
  const type = (text: string): void =>
    setEdit((now) => (now === null ? null : { ...now, text, error: null }));
  const submit = async (byKey: boolean): Promise<void> => {
    if (edit === null) return;
    const text = edit.text.trim();
    if (byKey) focusDue.current = true;
    if (text === value) {
      setEdit(null);
      return;
    }
    setEdit({ ...edit, text, saving: true, error: null });
    const error = await save(text);
    // A person who went on to write elsewhere keeps the focus there.
    const takesFocus =
      document.activeElement === opener.current || document.activeElement === document.body;
    // An edit that began meanwhile stays.
    setEdit((now) => {
      if (now === null || !now.saving) return now;
      return error === null ? null : { ...now, saving: false, error, takesFocus };
    });
  };
  return { edit, opener, begin, revert, type, submit };
}
