import { IconFileOff, IconHourglass, IconPaperclip } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { AudioPlayer } from "./audio-player.tsx";
import { useShowMedia } from "./media-show.tsx";
import { fileName, type MessageFile } from "./message-files.ts";
import styles from "./thread.module.css";

/** A file of a message: what it shows, or why it is not there. */
export function AttachedFile({ file, caption }: { file: MessageFile; caption: string | null }) {
  const { t } = useTranslation();
  const { key, kind, url, thumbnail, state, name } = file;
  if (url !== null) {
    return (
      <Media id={key} type={kind} url={url} thumbnail={thumbnail} name={name} caption={caption} />
    );
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
  /** Key of the file in the viewer. */
  id: string;
  type: MessageView["type"];
  url: string;
  thumbnail: string | null;
  /** Name of the file, where the network tells it. */
  name: string | null;
  caption: string | null;
}

/** Media in the thread, or a link where the browser cannot show the file. */
function Media({ id, type, url, thumbnail, name, caption }: MediaProps) {
  const { t } = useTranslation();
  const show = useShowMedia();
  // A link ends, and the next one of the same file is another URL.
  const [brokenUrl, setBroken] = useState<string | null>(null);
  const broken = brokenUrl === url;
  const word = t(`message_type.${type}`);
  const onError = (): void => setBroken(url);
  if (!broken && (type === "image" || type === "sticker")) {
    return (
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        className={styles["picture"]}
        aria-haspopup="dialog"
        onClick={(event) => {
          // With a key held, the browser opens a tab or stores the file.
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          show(id);
        }}
      >
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
  if (!broken && type === "audio") {
    return <AudioPlayer url={url} label={name ?? word} onError={onError} />;
  }
  if (!broken && type === "video") {
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- the customer's video has no text
      <video
        className={styles["media"]}
        src={url}
        poster={thumbnail ?? undefined}
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
