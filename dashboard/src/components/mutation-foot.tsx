import { errorText } from "../lib/error-text.ts";
import { FormFoot } from "./form-foot.tsx";

interface MutationFootProps {
  /** The call that the form makes. Its refusal stands above the buttons. */
  mutation: { isError: boolean; error: unknown; isPending: boolean };
  submit: string;
  disabled?: boolean;
  onCancel?: () => void;
}

/** End of a form that makes one call: the reason of a refusal, and the buttons. */
export function MutationFoot({ mutation, ...foot }: MutationFootProps) {
  const { isError, error, isPending } = mutation;
  return <FormFoot {...foot} error={isError ? errorText(error) : null} pending={isPending} />;
}
