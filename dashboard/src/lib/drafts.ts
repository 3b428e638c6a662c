const prefix = "parley.draft.";

/** What is being written under a key, kept in this browser; empty text is no draft. */
export function readDraft(key: string): string {
  return localStorage.getItem(prefix + key) ?? "";
}

/** Keeps a draft until it is sent or the person logs out. */
export function writeDraft(key: string, text: string): void {
  if (text === "") localStorage.removeItem(prefix + key);
  else localStorage.setItem(prefix + key, text);
}

/** Forgets every draft: the next person at this browser reads none. */
export function clearDrafts(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
}
