import { IconBan, IconFileOff, IconHourglass, IconPaperclip } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AttachmentState } from "../../../../core/model/attachment.ts";
import type { MessageView } from "../../../../core/model/message.ts";
import { LinkedText } from "../../components/linked-text.tsx";
import { isWebUrl } from "../../lib/linkify.ts";
import { ChoiceLine, ReferralCard } from "./message-extras.tsx";
import styles from "./thread.module.css";

/**
 * Content of a message: where it came from, files, then text or caption with links. A message
 * without any of them shows its type.
 */
export function MessageContent({ message }: { message: MessageView }) {
  const { t } = useTranslation();
  const { type, content, referral, interactive } = message;
  if (message.deleted_at !== null) {
    return (
      <span className={styles["deleted"]}>
        <IconBan size={15} aria-hidden /> {t("inbox.deleted")}
      </span>
    );
  }
  const files = filesOf(message);
  const isBare = files.length === 0 && content === null && referral === null;
  return (
    <>
      {referral !== null && <ReferralCard referral={referral} />}
      {files.map((file) => (
        <AttachedFile key={file.key} file={file} caption={content} />
      ))}
      {isBare && `[${t(`message_type.${type}`)}]`}
      {content !== null && files.length === 0 && <LinkedText text={content} />}
      {content !== null && files.length > 0 && (
        <div className={styles["caption"]}>
          <LinkedText text={content} />
        </div>
      )}
      {interactive !== null && <ChoiceLine interactive={interactive} />}
    </>
  );
}

interface ShownFile {
  key: string;
  kind: MessageView["type"];
  /** Null while the file is not stored, and where it never will be. */
  url: string | null;
  /** Smaller picture of an image. */
  thumbnail: string | null;
  state: AttachmentState;
  name: string | null;
}

/** Files of a message. A URL that is no web address is left out. */
function filesOf({ attachments, media, type }: MessageView): ShownFile[] {
  if (attachments.length === 0) {
    if (media === null || !isWebUrl(media.url)) return [];
    const { url } = media;
    return [{ key: url, kind: type, url, thumbnail: null, state: "ready", name: null }];
  }
  return attachments.flatMap((file, index): ShownFile[] => {
    const { id, kind, state, filename: name } = file;
    const url = state === "ready" ? file.url : null;
    if (state === "ready" && (url === null || !isWebUrl(url))) return [];
    const thumbnail = url === null ? null : file.thumbnail_url;
    return [{ key: String(id ?? index), kind, url, thumbnail, state, name }];
  });
}

function AttachedFile({ file, caption }: { file: ShownFile; caption: string | null }) {
  const { t } = useTranslation();
  const { kind, url, thumbnail, state, name } = file;
  if (url !== null) {
    return <Media type={kind} url={url} thumbnail={thumbnail} name={name} caption={caption} />;
  }
  const word = t(`message_type.${kind}`);
  return (
    <div className={styles["file"]}>
      <span className={styles["fileMark"]} data-quiet={state === "pending" || undefined}>
        {state === "pending" ? (
          <IconHourglass size={18} aria-hidden />
        ) : (
          <IconFileOff size={18} aria-hidden />
        )}
      </span>
      <span>
        <span className={styles["fileName"]}>{name ?? word}</span>
        <small>{t(`inbox.file.${state}`)}</small>
      </span>
    </div>
  );
}

interface MediaProps {
  type: MessageView["type"];
  url: string;
  thumbnail: string | null;
  /** Name of the file, where the network tells it. */
  name: string | null;
  caption: string | null;
}

/** Media in the thread, or a link where the browser cannot show the file. */
function Media({ type, url, thumbnail, name, caption }: MediaProps) {
  const { t } = useTranslation();
  // A link ends, and the next one of the same file is another URL.
  const [brokenUrl, setBroken] = useState<string | null>(null);
  const broken = brokenUrl === url;
  const word = t(`message_type.${type}`);
  const onError = (): void => setBroken(url);
  if (!broken && (type === "image" || type === "sticker")) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" className={styles["picture"]}>
        <img
          src={thumbnail ?? url}
          alt={caption ?? word}
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={onError}
        />
      </a>
    );
  }
  if (!broken && (type === "audio" || type === "video")) {
    const Player = type;
    return (
      <Player
        className={styles["media"]}
        src={url}
        controls
        preload="none"
        aria-label={word}
        onError={onError}
      />
    );
  }
  return <FileLink url={url} name={name} word={word} />;
}

function FileLink({ url, name, word }: Pick<MediaProps, "url" | "name"> & { word: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={styles["file"]}>
      <span className={styles["fileMark"]}>
        <IconPaperclip size={18} aria-hidden />
      </span>
      <span>
        <span className={styles["fileName"]}>{name ?? fileName(url)}</span>
        <small>{word}</small>
      </span>
    </a>
  );
}

/** File name in a URL, decoded where possible; else the host. */
function fileName(url: string): string {
  const { pathname, host } = new URL(url);
  const last = pathname.split("/").at(-1) ?? "";
  if (last === "") return host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
