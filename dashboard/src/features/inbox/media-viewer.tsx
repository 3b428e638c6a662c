import { ActionIcon } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconDownload, IconX } from "@tabler/icons-react";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { FullFrame } from "../../components/dialog.tsx";
import { useSession } from "../../lib/session.ts";
import { dayAndTime } from "../../lib/time.ts";
import styles from "./media-viewer.module.css";
import { filesOf } from "./message-files.ts";

interface Shot {
  key: string;
  kind: MessageView["type"];
  url: string;
  thumbnail: string | null;
  /** Caption, else name of the file; null without both. */
  title: string | null;
  at: string;
}

/** Pictures and videos of these messages that can be seen, the oldest first. */
function listShots(messages: readonly MessageView[]): Shot[] {
  return messages.toReversed().flatMap((message) =>
    message.deleted_at !== null
      ? []
      : filesOf(message).flatMap(({ key, kind, url, thumbnail, name }): Shot[] => {
          const isSeen = kind === "image" || kind === "sticker" || kind === "video";
          if (!isSeen || url === null) return [];
          const title = message.content ?? name;
          return [{ key, kind, url, thumbnail, title, at: message.created_at }];
        }),
  );
}

interface MediaViewerProps {
  /** Loaded messages of the conversation, the newest first. */
  messages: MessageView[];
  /** Key of the file in view. */
  shown: string;
  onShow: (key: string) => void;
  onClose: () => void;
}

/** A picture or video over the whole window. Arrows lead to the others of the conversation. */
export function MediaViewer({ messages, shown, onShow, onClose }: MediaViewerProps) {
  const { t } = useTranslation();
  const shots = listShots(messages);
  const index = shots.findIndex(({ key }) => key === shown);
  const shot = shots[index];
  const show = (step: -1 | 1): void => {
    const next = shots[index + step];
    if (next !== undefined) onShow(next.key);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // In a video the arrows move its time.
    if (event.target instanceof HTMLVideoElement) return;
    if (event.key === "ArrowLeft") show(-1);
    if (event.key === "ArrowRight") show(1);
  };
  const place = t("viewer.place", { place: index + 1, count: shots.length });
  return (
    <FullFrame label={t("viewer.title")} className={styles["viewer"]} onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the dialog */}
      <div className={styles["body"]} onKeyDown={onKeyDown}>
        {shot === undefined ? (
          <Head title={t("viewer.gone")} onClose={onClose} />
        ) : (
          <>
            <Head title={shot.title} at={shot.at} onClose={onClose}>
              <span role="status" className={styles["place"]}>
                {place}
              </span>
              <ActionIcon
                component="a"
                href={shot.url}
                download={shot.title ?? ""}
                target="_blank"
                rel="noopener noreferrer"
                className={styles["button"] ?? ""}
                aria-label={t("viewer.download")}
              >
                <IconDownload size={20} aria-hidden />
              </ActionIcon>
            </Head>
            <div className={styles["stage"]}>
              <Step label={t("common.previous")} off={index === 0} onClick={() => show(-1)}>
                <IconChevronLeft size={26} aria-hidden />
              </Step>
              <Picture key={shot.key} shot={shot} />
              <Step
                label={t("common.next")}
                off={index === shots.length - 1}
                onClick={() => show(1)}
              >
                <IconChevronRight size={26} aria-hidden />
              </Step>
            </div>
          </>
        )}
      </div>
    </FullFrame>
  );
}

interface HeadProps {
  title: string | null;
  at?: string;
  onClose: () => void;
  children?: ReactNode;
}

function Head({ title, at, onClose, children }: HeadProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  return (
    <div className={styles["head"]}>
      <div className={styles["title"]}>
        {title !== null && <strong dir="auto">{title}</strong>}
        {at !== undefined && <time dateTime={at}>{dayAndTime(at, account.time_zone)}</time>}
      </div>
      {children}
      <ActionIcon
        className={styles["button"] ?? ""}
        aria-label={t("common.close")}
        data-autofocus
        onClick={onClose}
      >
        <IconX size={22} aria-hidden />
      </ActionIcon>
    </div>
  );
}

interface StepProps {
  label: string;
  off: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** A step that leads nowhere stays, so that the focus does not get lost. */
function Step({ label, off, onClick, children }: StepProps) {
  return (
    <ActionIcon
      className={styles["button"] ?? ""}
      aria-label={label}
      aria-disabled={off}
      data-disabled={off || undefined}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}

function Picture({ shot: { kind, url, thumbnail, title } }: { shot: Shot }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  const onError = (): void => setBroken(true);
  const word = title ?? t(`message_type.${kind}`);
  if (broken) return <p className={styles["broken"]}>{t("viewer.broken")}</p>;
  if (kind === "video") {
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- the customer's video has no text
    return <video src={url} controls autoPlay aria-label={word} onError={onError} />;
  }
  // The thumbnail is there already, so that something shows while the picture loads.
  const background = thumbnail === null ? undefined : `url("${encodeURI(thumbnail)}")`;
  return (
    <img
      src={url}
      alt={word}
      referrerPolicy="no-referrer"
      style={background === undefined ? undefined : { backgroundImage: background }}
      onError={onError}
    />
  );
}
