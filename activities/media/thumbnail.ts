import sharp from "sharp";
import type { Spool, SpooledFile } from "../../core/media/spool.ts";

/** Makes small pictures. */
export interface Thumbnails {
  /** A picture of at most 480 px as WebP; null for a file that is no picture, or too large a one. */
  make(path: string, name: string): Promise<SpooledFile | null>;
}

const edgePx = 480;
const maxPixels = 50_000_000;
const maxBytes = 4 * 1_024 * 1_024;
const timeoutSeconds = 20;

/**
 * Creates the maker of thumbnails. Pictures come one after the other, because a large one takes
 * much memory once it is unpacked.
 */
export function createThumbnails(spool: Spool): Thumbnails {
  sharp.cache(false);
  sharp.concurrency(1);
  let last: Promise<unknown> = Promise.resolve();
  return {
    async make(path, name) {
      const made = last.then(async () => {
        const bytes = await shrink(path);
        return bytes && (await spool.write(name, once(bytes), maxBytes));
      });
      last = made.catch(() => undefined);
      return await made;
    },
  };
}

async function shrink(path: string): Promise<Buffer | null> {
  try {
    return await sharp(path, { limitInputPixels: maxPixels, pages: 1, failOn: "truncated" })
      .rotate()
      .resize({ width: edgePx, height: edgePx, fit: "inside", withoutEnlargement: true })
      .webp({ quality: 75 })
      .timeout({ seconds: timeoutSeconds })
      .toBuffer();
  } catch {
    return null;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
