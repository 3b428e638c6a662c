import { Alert, Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface FormFootProps {
  /** Why the form was refused, or nothing. */
  error: ReactNode;
  submit: string;
  pending: boolean;
  disabled?: boolean;
  onCancel?: (() => void) | undefined;
}

/** The end of a form: why it was refused, and the buttons. */
export function FormFoot({ error, submit, pending, disabled = false, onCancel }: FormFootProps) {
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
        <Button type="submit" disabled={disabled} loading={pending}>
          {submit}
        </Button>
      </Group>
    </>
  );
}
