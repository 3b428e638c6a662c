import { CallError } from "./call-error.ts";

/** Time in ms after which a call counts as lost. */
const timeoutMs = 20_000;

interface CallOptions {
  token?: string | null;
  body?: unknown;
}

/**
 * Calls our own API.
 * @param path below `/widget/api`
 * @returns the data of the answer; undefined without a body
 * @throws CallError
 */
export async function callApi<Answer>(
  method: string,
  path: string,
  { token = null, body }: CallOptions = {},
): Promise<Answer> {
  const response = await send(method, path, { token, body });
  return readData<Answer>(await response.text().catch(() => ""));
}

/** Fetches a file of our own API. @throws CallError */
export async function fetchFile(path: string, token: string): Promise<Blob> {
  return await (await send("GET", path, { token })).blob();
}

async function send(method: string, path: string, { token, body }: CallOptions): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/widget/api${path}`, {
      method,
      headers: {
        ...(token === null || token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      // The cookie of POST /sessions is our own.
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new CallError("network", 0);
  }
  if (response.ok) return response;
  const text = await response.text().catch(() => "");
  throw readError(response.status, text, response.headers.get("retry-after"));
}

/** Reads the envelope of an answer. An answer of 204 has none. */
function readData<Answer>(text: string): Answer {
  return (text === "" ? undefined : (JSON.parse(text) as { data: unknown }).data) as Answer;
}

/** Reads the envelope of an error, which a proxy between us may not have sent. */
export function readError(status: number, text: string, retryAfter: string | null): CallError {
  const seconds = retryAfter === null ? null : Number(retryAfter);
  const retryAfterSeconds = seconds !== null && Number.isFinite(seconds) ? seconds : null;
  try {
    const { error } = JSON.parse(text) as { error: { code: string; details?: unknown } };
    return new CallError(error.code, status, { retryAfterSeconds, details: error.details });
  } catch {
    return new CallError("unknown", status, { retryAfterSeconds });
  }
}

/**
 * Uploads a file. A request of the older kind, since `fetch` reports no progress.
 * @param onProgress gets the part that is sent, 0 to 1
 * @throws CallError; also with the code `cancelled`, where `signal` aborts
 */
export async function uploadFile<Answer>(
  file: File,
  token: string,
  { onProgress, signal }: { onProgress: (part: number) => void; signal: AbortSignal },
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    // The cut may halve an emoji, and half of one cannot be encoded.
    const name = file.name.slice(0, 200).replace(/\p{Cs}/gu, "");
    request.open("POST", `/widget/api/uploads?name=${encodeURIComponent(name)}`);
    request.setRequestHeader("authorization", `Bearer ${token}`);
    request.setRequestHeader("content-type", file.type || "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) return resolve(readData<Answer>(responseText));
      reject(readError(status, responseText, request.getResponseHeader("retry-after")));
    };
    request.onerror = () => reject(new CallError("network", 0));
    request.onabort = () => reject(new CallError("cancelled", 0));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
