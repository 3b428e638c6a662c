import { IconPaperclip } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { LinkedText } from "../../components/linked-text.tsx";
import { isWebUrl } from "../../lib/linkify.ts";
import styles from "./thread.module.css";

/**
 * Content of a message: media, then text or caption with links. A message without both shows its
 * type.
 */
export function MessageContent({ message: { type, content, media } }: { message: MessageView }) {
  const { t } = useTranslation();
  const url = media !== null && isWebUrl(media.url) ? media.url : null;
  if (url === null && content === null) return `[${t(`message_type.${type}`)}]`;
  return (
    <>
      {url !== null && <Media key={url} type={type} url={url} caption={content} />}
      {content !== null && url === null && <LinkedText text={content} />}
      {content !== null && url !== null && (
        <div className={styles["caption"]}>
          <LinkedText text={content} />
        </div>
      )}
    </>
  );
}

interface MediaProps {
  type: MessageView["type"];
  url: string;
  caption: string | null;
}

/** Media in the thread, or a link where the browser cannot show the file. */
function Media({ type, url, caption }: MediaProps) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  const word = t(`message_type.${type}`);
  const onError = (): void => setBroken(true);
  if (!broken && (type === "image" || type === "sticker")) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" className={styles["picture"]}>
        <img
          src={url}
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
  return <FileLink url={url} word={word} />;
}

function FileLink({ url, word }: { url: string; word: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={styles["file"]}>
      <span className={styles["fileMark"]}>
        <IconPaperclip size={18} aria-hidden />
      </span>
      <span>
        <span className={styles["fileName"]}>{fileName(url)}</span>
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
