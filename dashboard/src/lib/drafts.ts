import { useSyncExternalStore } from "react";
import { newToken } from "./token.ts";

const prefix = "parley.draft.";
/** Key suffix of the texts that are being sent, oldest first. */
const sendingSuffix = ".sending";
/** Key suffix of the texts that came back last. */
const returnedSuffix = ".returned";

/** Key of the id of the user who wrote the drafts. */
const ownerKey = "parley.drafts_of";

/**
 * A text with its idempotency key. A retry uses the same key, so a text that did arrive is not
 * doubled.
 */
interface Sent {
  id: string;
  text: string;
}

/** Texts that did not fit into the browser's storage. Only this page knows them. */
const texts = new Map<string, string>();
const listeners = new Set<() => void>();
/**
 * Number of texts that this page is sending, by key. Without this count, a stored text in the
 * sending state comes from another page. That page was closed before the answer.
 */
const underWay = new Map<string, number>();

/** Draft under a key, stored in this browser. An empty text means no draft. */
export function useDraft(key: string): string {
  return useSyncExternalStore(subscribe, () => readDraft(key));
}

/** Stores a draft until it is sent or the login ends. */
export function writeDraft(key: string, text: string): void {
  write(key, text);
  // The person deleted the text. The same words later are a new message.
  if (text === "") write(key + returnedSuffix, "");
  for (const listener of listeners) listener();
}

/**
 * Takes a draft away to send it. Texts that came back and were not edited are sent first, each one
 * by itself, then the rest. Each text stays stored until `settle` says whether it arrived. A text
 * that did not arrive returns in front of the text that was written meanwhile.
 */
export function takeDraft(key: string): (Sent & { settle: (arrived: boolean) => void })[] {
  const { returned, begun } = readParts(key);
  const taken = begun.trim() === "" ? returned : [...returned, { id: newToken(), text: begun }];
  underWay.set(key, (underWay.get(key) ?? 0) + taken.length);
  writeSent(key + sendingSuffix, [...readSent(key + sendingSuffix), ...taken]);
  writeDraft(key, "");
  return taken.map((sent) => ({ ...sent, settle: (arrived) => settle(key, sent, arrived) }));
}

/** Another page may have brought the text back meanwhile, and a logout may have deleted it. */
function settle(key: string, sent: Sent, arrived: boolean): void {
  underWay.set(key, (underWay.get(key) ?? 1) - 1);
  const sending = readSent(key + sendingSuffix);
  const others = sending.filter(({ id }) => id !== sent.id);
  writeSent(key + sendingSuffix, others);
  const isOurs = others.length < sending.length;
  if (!arrived && isOurs) bringBack(key, [sent]);
  if (arrived && !isOurs) changeReturned(key, (all) => all.filter(({ id }) => id !== sent.id));
}

/** Brings back texts that a closed page was sending and had no answer for. */
export function recoverDraft(key: string): void {
  const sent = readSent(key + sendingSuffix);
  if (sent.length === 0 || (underWay.get(key) ?? 0) > 0) return;
  writeSent(key + sendingSuffix, []);
  bringBack(key, sent);
}

/**
 * Puts texts in front of the text that was begun meanwhile, and behind the texts that came back
 * earlier.
 */
function bringBack(key: string, sent: Sent[]): void {
  changeReturned(key, (before) => [...before, ...sent]);
}

/** Changes the returned texts with which the draft still begins. */
function changeReturned(key: string, change: (returned: Sent[]) => Sent[]): void {
  const { returned, begun } = readParts(key);
  const changed = change(returned);
  const texts = [...changed.map(({ text }) => text), begun];
  writeSent(key + returnedSuffix, changed);
  writeDraft(key, texts.filter((text) => text !== "").join("\n"));
}

/** Splits a draft into the returned texts with which it still begins, and the text after them. */
function readParts(key: string): { returned: Sent[]; begun: string } {
  const draft = readDraft(key);
  const returned = readSent(key + returnedSuffix);
  while (returned.length > 0) {
    const texts = returned.map(({ text }) => text).join("\n");
    if (`${draft}\n`.startsWith(`${texts}\n`)) {
      return { returned, begun: draft.slice(texts.length + 1) };
    }
    returned.pop();
  }
  return { returned, begun: draft };
}

/** Deletes every draft. The next person at this browser reads none. */
export function clearDrafts(): void {
  texts.clear();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
  for (const listener of listeners) listener();
}

/** Deletes drafts of other users. A login may have ended while no page was open. */
export function keepDraftsOf(userId: number): void {
  if (localStorage.getItem(ownerKey) === String(userId)) return;
  clearDrafts();
  try {
    localStorage.setItem(ownerKey, String(userId));
  } catch {
    // A full storage holds no drafts in it either.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Draft under a key, as it is stored now. */
export function readDraft(key: string): string {
  return texts.get(key) ?? localStorage.getItem(prefix + key) ?? "";
}

function readSent(key: string): Sent[] {
  const text = readDraft(key);
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
