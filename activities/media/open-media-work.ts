import { openMedia, type MediaSettings } from "../../core/media/open-storage.ts";
import type { GuardedOptions } from "../http/guarded-request.ts";
import { createDownload } from "./download.ts";
import type { MediaWork } from "./port.ts";
import { createThumbnails } from "./thumbnail.ts";

/** Settings of the work with files. */
export interface MediaWorkOptions extends GuardedOptions {
  media: MediaSettings & { retentionDays: number | null };
  graphUrl: string;
  /** Limit of a download, in milliseconds (60 s). */
  timeoutMs?: number;
  stopping?: AbortSignal;
}

/** Opens storage, downloader, thumbnails and scanner of a worker. */
export function openMediaWork({ media, ...network }: MediaWorkOptions): MediaWork {
  const opened = openMedia(media);
  const { spool } = opened;
  return {
    ...opened,
    download: createDownload({ ...network, spool }),
    thumbnails: createThumbnails(spool),
    retentionDays: media.retentionDays,
  };
}
