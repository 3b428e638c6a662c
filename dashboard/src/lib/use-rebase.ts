import type { UseFormReturnType } from "@mantine/form";
import { useEffect } from "react";
import { rebase } from "./difference.ts";

/** Shows what a colleague saves meanwhile in the untouched fields of a form. */
export function useRebase<Values extends object>(
  { setInitialValues, setValues, setDirty, getValues, getInitialValues }: UseFormReturnType<Values>,
  saved: Values,
): void {
  useEffect(() => {
    const before = getInitialValues();
    setInitialValues(saved);
    setValues(rebase(saved, getValues(), before));
    setDirty({});
    // Runs on new values from the server only, not on each visit of the site. The functions of the
    // form change with each keystroke.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [JSON.stringify(saved)]);
}
