import { useSyncExternalStore } from "react";
import type { AttachmentKind } from "../../../core/model/attachment.ts";

/** A file that a person attaches to a reply. */
export interface Attachment {
  /** `external_id` of its message, so that a second try does not send it twice. */
  id: string;
  file: File;
  kind: Exclude<AttachmentKind, "sticker">;
  /** Id of the stored upload; null until then. */
  uploadId: number | null;
  /** Share of the bytes that are sent, 0 to 1. */
  progress: number;
  /** Reason why the upload failed, in the person's language. */
  error: string | null;
}

const none: readonly Attachment[] = [];
/** Files by the key of their draft. They live as long as the page. */
const lists = new Map<string, readonly Attachment[]>();
const listeners = new Set<() => void>();

/** Files of a draft, in their order. */
export function useAttachments(key: string): readonly Attachment[] {
  return useSyncExternalStore(subscribe, () => lists.get(key) ?? none);
}

/** Changes the files of a draft. */
export function changeAttachments(
  key: string,
  change: (files: readonly Attachment[]) => readonly Attachment[],
): void {
  const next = change(lists.get(key) ?? none);
  if (next.length === 0) lists.delete(key);
  else lists.set(key, next);
  for (const listener of listeners) listener();
}

/** Takes the files of a draft away to send them. */
export function takeAttachments(key: string): readonly Attachment[] {
  const taken = lists.get(key) ?? none;
  changeAttachments(key, () => none);
  return taken;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
