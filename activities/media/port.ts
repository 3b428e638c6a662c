import type { OpenMedia } from "../../core/media/open-storage.ts";
import type { Download } from "./download.ts";
import type { Thumbnails } from "./thumbnail.ts";

/** Everything that activities do with files. */
export interface MediaWork extends OpenMedia {
  download: Download;
  thumbnails: Thumbnails;
  /** Days that a file is kept; null: as long as its message. */
  retentionDays: number | null;
}
