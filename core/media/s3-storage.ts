import { Readable } from "node:stream";
import type * as Sdk from "@aws-sdk/client-s3";
import { requireKey, type MediaStorage } from "./storage.ts";

/** A bucket, and the key of a user who may read, write and delete in it. */
export interface S3Options {
  /** Null: AWS itself. */
  endpoint: string | null;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface OpenClient {
  sdk: typeof Sdk;
  client: Sdk.S3Client;
}

/** Stores files in a bucket of S3 or of a server that speaks as S3 does. Loads the SDK at its first use. */
export function createS3Storage(options: S3Options): MediaStorage {
  const { bucket: Bucket } = options;
  let opened: Promise<OpenClient> | undefined;
  const open = async (): Promise<OpenClient> => {
    opened ??= import("@aws-sdk/client-s3").then((sdk) => ({ sdk, client: connect(sdk, options) }));
    return await opened;
  };
  return {
    async put(key, source, size) {
      const { sdk, client } = await open();
      const Key = requireKey(key);
      await client.send(
        new sdk.PutObjectCommand({ Bucket, Key, Body: source, ContentLength: size }),
      );
    },
    async get(key, range) {
      const { sdk, client } = await open();
      const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
      const command = new sdk.GetObjectCommand({ Bucket, Key: requireKey(key), Range });
      const answer = await client.send(command).catch(orNull);
      return answer?.Body instanceof Readable ? answer.Body : null;
    },
    async stat(key) {
      const { sdk, client } = await open();
      const command = new sdk.HeadObjectCommand({ Bucket, Key: requireKey(key) });
      const answer = await client.send(command).catch(orNull);
      return answer === null ? null : { size: answer.ContentLength ?? 0 };
    },
    async delete(key) {
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: requireKey(key) }));
    },
  };
}

function connect(sdk: typeof Sdk, options: S3Options): Sdk.S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = options;
  return new sdk.S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    // The bucket goes into the path, because few servers besides AWS have a host name for each.
    forcePathStyle: true,
    // Other servers do not know the newer checksums, and a stream would have to be signed in chunks.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint === null ? {} : { endpoint }),
  });
}

/** HEAD has no body, so its error has no other name. */
function orNull(error: unknown): null {
  const name = error instanceof Error ? error.name : "";
  if (["NoSuchKey", "NotFound"].includes(name)) return null;
  throw error;
}
