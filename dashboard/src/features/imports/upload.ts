import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** Kinds of imports. */
export type ImportKind = "contacts" | "chat";

/** An upload, as the page shows it. */
export interface Upload {
  kind: ImportKind;
  file: File;
  /** Sent bytes. */
  loaded: number;
  /** Reason why the upload failed; null while it is under way. */
  error: ApiError | null;
}

interface Answer {
  data?: { id: number };
  error?: { code: string; message: string; details: unknown };
}

/**
 * Uploads one file at a time with its progress, which `fetch` does not report. An upload ends with
 * its page.
 * @param onDone gets the id of the new import.
 */
export function useUpload(onDone: (id: number) => void) {
  const client = useQueryClient();
  const request = useRef<XMLHttpRequest | null>(null);
  const [upload, setUpload] = useState<Upload | null>(null);
  useEffect(() => () => request.current?.abort(), []);
  const start = (kind: ImportKind, file: File): void => {
    request.current?.abort();
    setUpload({ kind, file, loaded: 0, error: null });
    const own = send(kind, file, {
      onProgress: (loaded) => setUpload({ kind, file, loaded, error: null }),
      onError: (error) => setUpload({ kind, file, loaded: 0, error }),
      onDone: (id) => {
        void client.invalidateQueries({ queryKey: liveKeys.imports });
        onDone(id);
      },
    });
    request.current = own;
  };
  const cancel = (): void => {
    request.current?.abort();
    request.current = null;
    setUpload(null);
  };
  return { upload, start, cancel };
}

interface UploadListener {
  onProgress: (loaded: number) => void;
  onDone: (id: number) => void;
  onError: (error: ApiError) => void;
}

function send(kind: ImportKind, file: File, listener: UploadListener): XMLHttpRequest {
  const request = new XMLHttpRequest();
  const query = new URLSearchParams({ kind, name: file.name }).toString();
  request.open("POST", `/dashboard/api/imports?${query}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded }) => listener.onProgress(loaded));
  // A cancelled request reports neither `load` nor `error`.
  request.addEventListener("error", () => listener.onError(refusalOf(null)));
  request.addEventListener("load", () => {
    const answer = request.response as Answer | null;
    if (request.status === 201 && answer?.data !== undefined) listener.onDone(answer.data.id);
    else listener.onError(refusalOf(answer));
  });
  request.send(file);
  return request;
}

function refusalOf(answer: Answer | null): ApiError {
  const { code, message, details } = answer?.error ?? {
    code: "network",
    message: "The server did not answer.",
    details: null,
  };
  return new ApiError({ code, message, details, retryAfterSeconds: null });
}
