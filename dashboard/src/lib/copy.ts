import i18next from "i18next";
import { ApiError } from "./api.ts";
import { tellDone, tellFailure } from "./notify.ts";

/** Copies a text, and says so. A browser without access to the clipboard says why it did not. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tellDone(i18next.t("common.copied"));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const refusal = { code: "clipboard_blocked", message, details: null, retryAfterSeconds: null };
    tellFailure(i18next.t("common.not_copied"), new ApiError(refusal));
  }
}
