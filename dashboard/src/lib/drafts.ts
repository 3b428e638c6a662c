import { useSyncExternalStore } from "react";

const prefix = "parley.draft.";
const sentSuffix = ".sent";

/** What the browser had no room for: this page alone knows it. */
const texts = new Map<string, string>();
const listeners = new Set<() => void>();
/** How many texts of a key this page is sending; what another page began, it was closed before the answer. */
const underWay = new Map<string, number>();

/** What is being written under a key, kept in this browser; empty text is no draft. */
export function useDraft(key: string): string {
  return useSyncExternalStore(subscribe, () => read(key));
}

/** Keeps a draft until it is sent or the person logs out. */
export function writeDraft(key: string, text: string): void {
  write(key, text);
  for (const listener of listeners) listener();
}

/**
 * Takes a draft away to send it. It is kept aside until `settle` says whether it arrived: what did not
 * comes back before what was begun meanwhile.
 */
export function takeDraft(key: string): { text: string; settle: (arrived: boolean) => void } {
  const text = read(key);
  underWay.set(key, (underWay.get(key) ?? 0) + 1);
  write(key + sentSuffix, text);
  writeDraft(key, "");
  return {
    text,
    settle(arrived) {
      underWay.set(key, (underWay.get(key) ?? 1) - 1);
      if (read(key + sentSuffix) === text) write(key + sentSuffix, "");
      if (!arrived) writeDraft(key, joined(text, read(key)));
    },
  };
}

/** Brings back what a page that was closed had not heard about. */
export function recoverDraft(key: string): void {
  const sent = read(key + sentSuffix);
  if (sent === "" || (underWay.get(key) ?? 0) > 0) return;
  write(key + sentSuffix, "");
  writeDraft(key, joined(sent, read(key)));
}

/** Forgets every draft: the next person at this browser reads none. */
export function clearDrafts(): void {
  texts.clear();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
}

function joined(first: string, then: string): string {
  return then === "" ? first : `${first}\n${then}`;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(key: string): string {
  return texts.get(key) ?? localStorage.getItem(prefix + key) ?? "";
}

function write(key: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, text);
    texts.delete(key);
  } catch {
    texts.set(key, text);
  }
}
