import type { AttachmentView } from "../../../core/model/attachment.ts";
import { usePanel } from "../context.ts";
import { formatSize } from "../format.ts";
import { readLink } from "../text/tokenize.ts";
import { Icon } from "./icon.tsx";

/** Files of a message. */
export function Attachments({ attachments }: { attachments: readonly AttachmentView[] }) {
  return (
    <>
      {attachments.map((one, index) => (
        <Attachment key={one.id ?? index} attachment={one} />
      ))}
    </>
  );
}

function Attachment({ attachment }: { attachment: AttachmentView }) {
  const { words, state } = usePanel();
  const { kind, url, thumbnail_url, filename, size, state: place } = attachment;
  const name = filename ?? words.file;
  const href = url === null ? null : readLink(new URL(url, location.href).href);
  if (href === null || place !== "ready")
    return (
      <div class="file">
        <Icon name="file" />
        <bdi>{name}</bdi>
      </div>
    );
  if (kind === "image" || kind === "sticker")
    return (
      <a class="picture-link" href={href} target="_blank" rel="noopener nofollow ugc">
        <img class="picture" src={thumbnail_url ?? href} alt={name} loading="lazy" />
      </a>
    );
  // Captions of what a customer or a person sent do not exist.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  if (kind === "audio") return <audio controls preload="none" src={href} aria-label={name} />;
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  if (kind === "video") return <video controls preload="metadata" src={href} aria-label={name} />;
  return (
    <a class="file" href={href} target="_blank" rel="noopener nofollow ugc">
      <Icon name="file" />
      <span>
        <bdi>{name}</bdi>
        {size !== null && <small>{formatSize(size, state.locale)}</small>}
      </span>
    </a>
  );
}
