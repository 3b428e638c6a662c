import { useTranslation } from "react-i18next";
import { maxSourceBytes } from "../../../../core/model/knowledge.ts";
import { asLocale } from "../../../../core/model/user.ts";
import { ApiError, type FieldIssue } from "../../lib/api.ts";
import { errorText } from "../../lib/error-text.ts";
import { useAddSource } from "../../lib/knowledge.ts";
import { tellDone, tellWithActions } from "../../lib/notify.ts";

/** Text of the reason why a page or file was refused. */
export function useSourceError(): (error: unknown) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    const issues = error instanceof ApiError ? error.details : null;
    const [issue] = Array.isArray(issues) ? (issues as FieldIssue[]) : [];
    const key = `knowledge.failures.${issue?.code ?? ""}`;
    return i18n.exists(key) ? t(key as "knowledge.failures.too_big") : errorText(error);
  };
}

/** Uploads a text file, of which suggestions are made in the language of the page. */
export function useUpload() {
  const { t, i18n } = useTranslation();
  const add = useAddSource();
  const errorOf = useSourceError();
  const refuse = (message: string): void =>
    tellWithActions({
      id: "knowledge-upload",
      color: "bad",
      title: t("knowledge.not_uploaded"),
      message,
      actions: [],
    });
  const send = async (file: File): Promise<void> => {
    if (file.size > maxSourceBytes) {
      refuse(t("knowledge.failures.too_big"));
      return;
    }
    const content = await readText(file);
    if (content === null) {
      refuse(t("knowledge.failures.not_text"));
      return;
    }
    const language = asLocale(i18n.language);
    add.mutate(
      { kind: "file", name: file.name, content, language },
      {
        onSuccess: ({ suggestions }) => tellDone(t("knowledge.uploaded", { count: suggestions })),
        onError: (error) => refuse(errorOf(error)),
      },
    );
  };
  const upload = (file: File | null): void => {
    if (file !== null) void send(file);
  };
  return { upload, isPending: add.isPending };
}

/** The text of a file in UTF-8, or null. */
async function readText(file: File): Promise<string | null> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}
