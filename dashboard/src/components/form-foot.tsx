import { Alert, Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PendingButton } from "./pending-button.tsx";

interface FormFootProps {
  /** Of the form's element, where this is not within it. */
  form?: string;
  /** Why the form was refused, or nothing. */
  error: ReactNode;
  submit: string;
  pending: boolean;
  disabled?: boolean;
  onCancel?: (() => void) | undefined;
}

/** The end of a form: why it was refused, and the buttons. */
export function FormFoot(props: FormFootProps) {
  const { form, error, submit, pending, disabled = false, onCancel } = props;
  const { t } = useTranslation();
  return (
    <>
      {error !== undefined && error !== null && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      <Group justify="flex-end">
        {onCancel !== undefined && (
          <Button variant="default" onClick={onCancel}>
            {t("common.cancel")}
          </Button>
        )}
        <PendingButton type="submit" form={form} disabled={disabled} pending={pending}>
          {submit}
        </PendingButton>
      </Group>
    </>
  );
}
