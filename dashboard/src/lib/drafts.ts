import { useSyncExternalStore } from "react";
import { newToken } from "./token.ts";

const prefix = "parley.draft.";
/** What is being sent, the oldest first. */
const sentSuffix = ".sent";
/** What came back last. */
const returnedSuffix = ".returned";

/** A text and the id that it goes under: the same again, so that one that had arrived does not double. */
interface Sent {
  id: string;
  text: string;
}

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
export function takeDraft(key: string): Sent & { settle: (arrived: boolean) => void } {
  const text = read(key);
  const returned = readSent(key + returnedSuffix).find((one) => one.text === text);
  const sent = { id: returned?.id ?? newToken(), text };
  underWay.set(key, (underWay.get(key) ?? 0) + 1);
  writeSent(key + sentSuffix, [...readSent(key + sentSuffix), sent]);
  writeSent(key + returnedSuffix, []);
  writeDraft(key, "");
  return {
    ...sent,
    settle(arrived) {
      underWay.set(key, (underWay.get(key) ?? 1) - 1);
      const others = readSent(key + sentSuffix).filter(({ id }) => id !== sent.id);
      writeSent(key + sentSuffix, others);
      if (!arrived) bringBack(key, [sent]);
    },
  };
}

/** Brings back what a page that was closed had not heard about. */
export function recoverDraft(key: string): void {
  const sent = readSent(key + sentSuffix);
  if (sent.length === 0 || (underWay.get(key) ?? 0) > 0) return;
  writeSent(key + sentSuffix, []);
  bringBack(key, sent);
}

/** Puts texts before what was begun meanwhile, and after those that came back before them. */
function bringBack(key: string, sent: Sent[]): void {
  const before = readSent(key + returnedSuffix);
  const draft = read(key);
  const goesOn = draft.startsWith(textOf(before));
  const returned = goesOn ? [...before, ...sent] : sent;
  const begun = goesOn ? draft.slice(textOf(before).length).replace(/^\n/u, "") : draft;
  writeSent(key + returnedSuffix, returned);
  writeDraft(key, begun === "" ? textOf(returned) : `${textOf(returned)}\n${begun}`);
}

function textOf(sent: Sent[]): string {
  return sent.map(({ text }) => text).join("\n");
}

/** Forgets every draft: the next person at this browser reads none. */
export function clearDrafts(): void {
  texts.clear();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(key: string): string {
  return texts.get(key) ?? localStorage.getItem(prefix + key) ?? "";
}

function readSent(key: string): Sent[] {
  const text = read(key);
  return text === "" ? [] : (JSON.parse(text) as Sent[]);
}

function writeSent(key: string, sent: Sent[]): void {
  write(key, sent.length === 0 ? "" : JSON.stringify(sent));
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
