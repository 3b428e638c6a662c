import { Stack, Switch, Text, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { textVariables, unknownVariables } from "../../../../core/model/text-variables.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useSaveRow, type SavedRow, type SavedRows } from "./saved-rows-api.ts";

/** Row whose form is open, null for a new one, and the function that closes the form. */
export interface SavedRowFormProps<Row> {
  row: Row | null;
  onClose: () => void;
}

interface SavedRowDialogProps<Row extends SavedRow, Body, Values> extends SavedRowFormProps<Row> {
  rows: SavedRows<Row, Body>;
  form: UseFormReturnType<Values>;
  bodyOf: (values: Values) => Body;
  children: ReactNode;
}

/** Dialog with the form of a canned answer or a macro. Only admins share one with the account. */
export function SavedRowDialog<Row extends SavedRow, Body, Values extends { shared: boolean }>({
  rows,
  row,
  form,
  bodyOf,
  onClose,
  children,
}: SavedRowDialogProps<Row, Body, Values>) {
  const { t } = useTranslation();
  const { role } = useSession();
  const save = useSaveRow(rows, row?.id ?? null);
  const errors = fieldErrors(save.error);
  const send = form.onSubmit((values) =>
    save.mutate(bodyOf(values), {
      onSuccess: () => {
        tellDone(t("common.saved"));
        onClose();
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    }),
  );
  const isRefused = save.error !== null && Object.keys(errors).length === 0;
  return (
    <Dialog
      onClose={onClose}
      title={t(`${rows.kind}.${row === null ? "add" : "edit_title"}`)}
      size="lg"
    >
      <form onSubmit={send}>
        <Stack gap="sm">
          {children}
          {role === "admin" && (
            <Switch
              label={t("saved.share")}
              {...form.getInputProps("shared", { type: "checkbox" })}
            />
          )}
          <FormFoot
            error={isRefused ? errorText(save.error) : null}
            submit={t("common.save")}
            pending={save.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

interface VariableTextProps {
  label: string;
  /** Props of the field in its form. */
  field: object;
}

/** Field for a text with variables. */
export function VariableText({ label, field }: VariableTextProps) {
  const { t } = useTranslation();
  const names = textVariables.map((name) => `{{${name}}}`).join(", ");
  return (
    <div>
      <Textarea
        label={label}
        required
        withAsterisk={false}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={4096}
        dir="auto"
        {...field}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {t("saved.variables")} <code>{names}</code>
      </Text>
    </div>
  );
}

/** @returns the reason why the text of a {@link VariableText} cannot be stored; null for none. */
export function useVariableCheck(): (text: string) => string | null {
  const { t } = useTranslation();
  return (text) => {
    const [first] = unknownVariables(text);
    return first === undefined ? null : t("saved.unknown_variable", { name: `{{${first}}}` });
  };
}
