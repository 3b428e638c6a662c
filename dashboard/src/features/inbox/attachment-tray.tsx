import { ActionIcon, Progress, UnstyledButton } from "@mantine/core";
import { IconFile, IconMusic, IconRefresh, IconVideo, IconX } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Attachment } from "../../lib/attachments.ts";
import { sizeText } from "../../lib/size-text.ts";
import styles from "./attachment-tray.module.css";
import type { Attached } from "./use-attached.ts";
import { dropFile, retryFile } from "../../lib/upload-files.ts";

interface AttachmentTrayProps {
  attached: Attached;
  /** True while files are dragged over the conversation. */
  over: boolean;
  /** Returns the focus to the text, after the last file has gone. */
  onEmpty: () => void;
}

/** Files of the reply with their uploads, above the text. */
export function AttachmentTray({ attached, over, onEmpty }: AttachmentTrayProps) {
  const { key: draftKey, channel, files } = attached;
  const { t } = useTranslation();
  const remove = (id: string): void => {
    dropFile(draftKey, id);
    if (files.length === 1) onEmpty();
  };
  const open = files.filter(({ uploadId, error }) => uploadId === null && error === null).length;
  return (
    <>
      {over && <div className={styles["drop"]}>{t("attach.drop")}</div>}
      <ul className={styles["tray"]} aria-label={t("attach.files")}>
        {files.map((one) => (
          <FileChip
            key={one.id}
            attachment={one}
            onRemove={() => remove(one.id)}
            onRetry={() => retryFile(draftKey, channel, one)}
          />
        ))}
      </ul>
      <span role="status" className={styles["status"]}>
        {open > 0 ? t("attach.uploading", { count: open }) : ""}
      </span>
    </>
  );
}

interface FileChipProps {
  attachment: Attachment;
  onRemove: () => void;
  onRetry: () => void;
}

function FileChip({ attachment, onRemove, onRetry }: FileChipProps) {
  const { t } = useTranslation();
  const { file, error, uploadId, progress } = attachment;
  const { name } = file;
  return (
    <li className={styles["chip"]} data-failed={error !== null || undefined}>
      <Preview attachment={attachment} />
      <span className={styles["words"]}>
        <span className={styles["name"]} dir="auto">
          {name}
        </span>
        {error === null ? (
          <small>{sizeText(file.size)}</small>
        ) : (
          <small role="alert">{error}</small>
        )}
        {error === null && uploadId === null && (
          <Progress.Root size={4}>
            <Progress.Section value={progress * 100} aria-label={t("attach.progress", { name })} />
          </Progress.Root>
        )}
      </span>
      {error !== null && (
        <UnstyledButton
          className={styles["again"] ?? ""}
          aria-label={t("attach.again", { name })}
          onClick={onRetry}
        >
          <IconRefresh size={18} aria-hidden />
        </UnstyledButton>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        className={styles["remove"] ?? ""}
        aria-label={t("attach.remove", { name })}
        onClick={onRemove}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}

/** The picture itself, as far as the browser can draw its format; else the sign of its kind. */
function Preview({ attachment: { kind, file } }: { attachment: Attachment }) {
  const [broken, setBroken] = useState(false);
  const show = useBytes(file);
  if (file.type.startsWith("image/") && !broken) {
    return <img ref={show} alt="" className={styles["preview"]} onError={() => setBroken(true)} />;
  }
  const Icon = kind === "audio" ? IconMusic : kind === "video" ? IconVideo : IconFile;
  return (
    <span className={styles["preview"]}>
      <Icon size={18} aria-hidden />
    </span>
  );
}

/** Gives a picture its bytes while it is in the page. A render that React drops takes no memory. */
function useBytes(file: File) {
  return useCallback(
    (picture: HTMLImageElement) => {
      const url = URL.createObjectURL(file);
      picture.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [file],
  );
}
