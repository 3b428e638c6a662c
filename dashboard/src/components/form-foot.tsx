import { Alert, Button, Group, Stack } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import styles from "./form-foot.module.css";
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
        <Alert color="bad" role="alert" icon={<IconAlertCircle size={18} aria-hidden />}>
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

interface SaveBarProps extends Pick<FormFootProps, "error" | "pending"> {
  /** True where the form holds something that is not saved. */
  changed: boolean;
  /** Label of the button that saves; "Save" without one. */
  submit?: string;
  /** Gives all fields their saved values back. */
  onReset: () => void;
}

/**
 * End of a form on a page. It stays in sight while something is changed. It stands in the element of
 * the fields, because it sticks to the edge of the window only as long as that element is there.
 */
export function SaveBar({ changed, submit, onReset, ...foot }: SaveBarProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" className={(changed && styles["bar"]) || ""}>
      <FormFoot
        {...foot}
        submit={submit ?? t("common.save")}
        disabled={!changed}
        onCancel={changed ? onReset : undefined}
      />
    </Stack>
  );
}
