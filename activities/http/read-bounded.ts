/** An answer that is longer than its reader allows. */
export class LargeAnswerError extends Error {
  override readonly name = "LargeAnswerError";
}

/** Reads a whole body. @throws LargeAnswerError for more than `maxBytes` */
export async function readBounded(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new LargeAnswerError();
  }
  return Buffer.concat(chunks);
}
