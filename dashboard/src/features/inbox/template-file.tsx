import { Alert, Button, FileButton, Group, Stack, Text } from "@mantine/core";
import { IconPaperclip, IconUpload, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { judgeMedia, kindOfType, mediaLimits } from "../../../../core/model/media.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { ApiError } from "../../lib/api.ts";
import { errorText } from "../../lib/error-text.ts";

/** Kinds of files in the heading of a template. */
export type HeadingKind = "image" | "video" | "document";

/** A file that is stored and waits for its message. */
export interface HeadingFile {
  uploadId: number;
  name: string;
}

const mebibyte = 1_024 * 1_024;

interface TemplateFileProps {
  kind: HeadingKind;
  file: HeadingFile | null;
  onChange: (file: HeadingFile | null) => void;
  /** The field for an address, while there is no file. */
  children: ReactNode;
}

/** The file of a heading: an upload, or the address in `children`. */
export function TemplateFile({ kind, file, onChange, children }: TemplateFileProps) {
  const { t } = useTranslation();
  const upload = useUpload(kind, onChange);
  if (file !== null) return <Chosen name={file.name} onRemove={() => onChange(null)} />;
  const types = mediaLimits("whatsapp", kind)?.mimeTypes ?? [];
  return (
    <Stack gap={8}>
      {children}
      <Group gap="xs">
        <FileButton
          accept={types.join(",")}
          onChange={(chosen) => chosen !== null && upload.mutate(chosen)}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="xs"
              loading={upload.isPending}
              leftSection={<IconUpload size={15} aria-hidden />}
            >
              {t("template_file.choose")}
            </Button>
          )}
        </FileButton>
      </Group>
      {upload.isError && (
        <Alert color="bad" role="alert">
          {upload.error instanceof UnfitFile ? upload.error.message : errorText(upload.error)}
        </Alert>
      )}
    </Stack>
  );
}

function Chosen({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" wrap="nowrap" role="group" aria-label={t("template_file.heading")}>
      <IconPaperclip size={15} aria-hidden />
      <Text size="sm" truncate>
        <bdi>{name}</bdi>
      </Text>
      <IconAction label={t("template_file.remove", { name })} onClick={onRemove}>
        <IconX size={15} />
      </IconAction>
    </Group>
  );
}

/** A file that WhatsApp would not take, in words for people. */
class UnfitFile extends Error {
  override readonly name = "UnfitFile";
}

function useUpload(kind: HeadingKind, onChange: (file: HeadingFile) => void) {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (file: File): Promise<HeadingFile> => {
      const judge = (mime: string): void => {
        const refusal = judgeMedia("whatsapp", kind, { mime, size: file.size });
        const { maxBytes = 0 } = mediaLimits("whatsapp", kind) ?? {};
        if (refusal === "too_large") {
          throw new UnfitFile(t("template_file.too_large", { count: maxBytes / mebibyte }));
        }
        if (refusal !== null || kindOfType(mime) !== kind) {
          throw new UnfitFile(t(`template_file.wrong_${kind}`));
        }
      };
      judge(file.type);
      const { id, mime_type: type } = await uploadFile(file);
      // The name of a file may lie about its type. Only the server has looked inside.
      judge(type);
      return { uploadId: id, name: file.name };
    },
    onSuccess: onChange,
  });
}

interface UploadAnswer {
  data?: { id: number; mime_type: string };
  error?: { code: string; message: string };
}

/** @throws ApiError */
async function uploadFile(file: File): Promise<{ id: number; mime_type: string }> {
  const url = `/dashboard/api/media?filename=${encodeURIComponent(file.name)}`;
  const answer = await fetch(url, { method: "POST", body: file })
    .then(async (response) => (await response.json()) as UploadAnswer)
    .catch((): UploadAnswer => ({}));
  if (answer.data !== undefined) return answer.data;
  const { code, message } = answer.error ?? { code: "network", message: "" };
  throw new ApiError({ code, message, details: null, retryAfterSeconds: null });
}
