import { invalidField } from "../../core/errors.ts";
import { checkTarget, TargetError } from "../../core/target-guard.ts";
import type { Deps } from "../deps.ts";

/**
 * Requires that the installation may call a URL.
 * @param path of the field that holds it
 * @throws AppError `validation_error` with the code of the refusal
 */
export async function requireTarget(
  path: string,
  url: string,
  { targetPolicy, resolver }: Deps,
): Promise<void> {
  try {
    await checkTarget(url, targetPolicy, resolver);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw invalidField(path, error.code, error.message);
  }
}
