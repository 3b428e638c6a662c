import type { MediaWork } from "../../../activities/media/port.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";

/** Storage and downloads of files in a folder of a test. */
export function openTestMedia(folder: string): MediaWork {
  return openMediaWork({
    media: { folder, s3: null, scanner: null, retentionDays: 30 },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
    timeoutMs: 5_000,
  });
}
