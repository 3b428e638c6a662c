import type { SignedRequestView } from "../../../../core/model/views/dashboard.ts";

/** A command of a POSIX shell that posts the request with exactly its bytes. */
export function curlCommand({ url, headers, body }: SignedRequestView): string {
  return [
    // Brackets and braces of the URL are no patterns.
    `curl --globoff --include ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    // Unlike --data, a leading @ names no file.
    `--data-raw ${quoted(body)}`,
  ].join(" \\\n  ");
}

/** Single quotes keep every character but themselves, line breaks too. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
