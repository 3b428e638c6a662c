import { Alert, Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PendingButton } from "./pending-button.tsx";

interface FormFootProps {
  /** Id of the form element, where the buttons are outside it. */
  form?: string;
  /** Reason why the form was refused; null or undefined for none. */
  error: ReactNode;
  submit: string;
  pending: boolean;
  disabled?: boolean;
  onCancel?: (() => void) | undefined;
}

/** End of a form: the reason of a refusal, and the buttons. */
export function FormFoot(props: FormFootProps) {
  const { form, error, submit, pending, disabled = false, onCancel } = props;
  const { t } = useTranslation();
  return (
    <>
      {error !== undefined && error !== null && (
        <Alert color="bad" role="alert">
          {error}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
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
