import { useSyncExternalStore } from "react";
import { newToken } from "./token.ts";

const prefix = "parley.draft.";
/** What is being sent, the oldest first. */
const sendingSuffix = ".sending";
/** What came back last. */
const returnedSuffix = ".returned";

/** Whose drafts these are. */
const ownerKey = "parley.drafts_of";

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

/** Keeps a draft until it is sent or the login ends. */
export function writeDraft(key: string, text: string): void {
  write(key, text);
  // What the person threw away is over: the same words later are a message of their own.
  if (text === "") write(key + returnedSuffix, "");
  for (const listener of listeners) listener();
}

/**
 * Takes a draft away to send it: the texts that came back, as far as nobody changed them, each by
 * itself, then the rest. Each is kept aside until `settle` says whether it arrived: what did
 * not comes back before what was begun meanwhile.
 */
export function takeDraft(key: string): (Sent & { settle: (arrived: boolean) => void })[] {
  const { returned, begun } = readParts(key);
  const taken = begun.trim() === "" ? returned : [...returned, { id: newToken(), text: begun }];
  underWay.set(key, (underWay.get(key) ?? 0) + taken.length);
  writeSent(key + sendingSuffix, [...readSent(key + sendingSuffix), ...taken]);
  writeDraft(key, "");
  return taken.map((sent) => ({ ...sent, settle: (arrived) => settle(key, sent, arrived) }));
}

/** Another page may have brought the text back meanwhile, and a logout forgotten it. */
function settle(key: string, sent: Sent, arrived: boolean): void {
  underWay.set(key, (underWay.get(key) ?? 1) - 1);
  const sending = readSent(key + sendingSuffix);
  const others = sending.filter(({ id }) => id !== sent.id);
  writeSent(key + sendingSuffix, others);
  const isOurs = others.length < sending.length;
  if (!arrived && isOurs) bringBack(key, [sent]);
  if (arrived && !isOurs) changeReturned(key, (all) => all.filter(({ id }) => id !== sent.id));
}

/** Brings back what a page that was closed had not heard about. */
export function recoverDraft(key: string): void {
  const sent = readSent(key + sendingSuffix);
  if (sent.length === 0 || (underWay.get(key) ?? 0) > 0) return;
  writeSent(key + sendingSuffix, []);
  bringBack(key, sent);
}

/** Puts texts before what was begun meanwhile, and after those that came back before them. */
function bringBack(key: string, sent: Sent[]): void {
  changeReturned(key, (before) => [...before, ...sent]);
}

/** Changes the texts that came back, as far as the draft still begins with them. */
function changeReturned(key: string, change: (returned: Sent[]) => Sent[]): void {
  const { returned, begun } = readParts(key);
  const changed = change(returned);
  const texts = [...changed.map(({ text }) => text), begun];
  writeSent(key + returnedSuffix, changed);
  writeDraft(key, texts.filter((text) => text !== "").join("\n"));
}

/** As many of the texts that came back as a draft still begins with, and what follows them. */
function readParts(key: string): { returned: Sent[]; begun: string } {
  const draft = read(key);
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

/** Forgets every draft: the next person at this browser reads none. */
export function clearDrafts(): void {
  texts.clear();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
  for (const listener of listeners) listener();
}

/** Forgets the drafts of anybody but this person, whose login may have ended while no page was open. */
export function keepDraftsOf(userId: number): void {
  if (localStorage.getItem(ownerKey) === String(userId)) return;
  clearDrafts();
  try {
    localStorage.setItem(ownerKey, String(userId));
  } catch {
    // Without room there are no drafts either.
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
