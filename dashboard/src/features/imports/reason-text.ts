import { useTranslation } from "react-i18next";
import type { ImportErrorCode, ImportReason } from "../../../../core/model/import.ts";
import { ApiError } from "../../lib/api.ts";
import { errorText } from "../../lib/error-text.ts";

/** A function that says why a row was left out, kept or refused. An unknown code is shown in words. */
export function useReasonText(): (reason: string) => string {
  const { t, i18n } = useTranslation();
  return (reason) =>
    i18n.exists(`imports.reason.${reason}`)
      ? t(`imports.reason.${reason as ImportReason}`)
      : reason.replaceAll("_", " ");
}

/** A fault of a file's content, with its line where it has one. */
interface FileFault {
  code: ImportErrorCode;
  line: number | null;
}

/** A function that says why a file could not be imported, and what to do. */
export function useFileErrorText(): (fault: FileFault) => string {
  const { t, i18n } = useTranslation();
  return ({ code, line }) => {
    const key = `imports.file_error.${code}`;
    const text = i18n.exists(key)
      ? t(`imports.file_error.${code as ImportErrorCode}`)
      : code.replaceAll("_", " ");
    return line === null ? text : `${t("imports.error_line", { line })} ${text}`;
  };
}

/** A function that says why an upload was refused: for its content, or for another reason. */
export function useUploadErrorText(): (error: unknown) => string {
  const fileErrorText = useFileErrorText();
  return (error) => {
    if (!(error instanceof ApiError) || error.code !== "import_file_invalid") {
      return errorText(error);
    }
    return fileErrorText(error.details as FileFault);
  };
}
