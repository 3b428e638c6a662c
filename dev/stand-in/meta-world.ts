import type { MetaAccount, MetaApp, MetaCustomer, MetaNetwork } from "./meta-accounts.ts";
import type { MetaFile, MetaMediaScript } from "./meta-media.ts";
import type { MetaDeed } from "./meta-customer.ts";
import type { MetaScriptName } from "./meta-scripts.ts";
import type { MetaSend } from "./meta-send-body.ts";
import type { MetaTemplate } from "./meta-templates.ts";
import type { MetaUpload } from "./meta-uploads.ts";
import type { MetaCallback, MetaDelivery, MetaRelease, MetaWebhooks } from "./meta-webhooks.ts";

/** A call of POST messages, in the order of arrival. */
export interface MetaCall {
  network: MetaNetwork;
  accountId: string;
  body: unknown;
  /** The send as Meta read it; null where it refused the body. */
  send: MetaSend | null;
  /** The script that answered. */
  script: MetaScriptName;
  /** Id of the message; null where nothing was sent. */
  messageId: string | null;
  /** HTTP status of the answer; 0: it never came. */
  answered: number;
  /** Epoch milliseconds. */
  at: number;
}

/** A download of a file. */
export interface MetaDownload {
  /** `lookaside` asks for a token, `cdn` does not. */
  place: string;
  id: string;
  token: string | null;
  script: MetaMediaScript;
}

/** A line of a talk on the page. */
export interface MetaLine {
  network: MetaNetwork;
  customerId: string;
  messageId: string;
  /** True: the product sent it. */
  isOurs: boolean;
  text: string;
  /** Id of the file of the message, if it is a picture. */
  picture: string | null;
  /** Word of the last status; null at first, and for lines of the customer. */
  status: string | null;
  /** Epoch milliseconds. */
  at: number;
}

/** Subscription of an object to the app. */
export interface MetaSubscription {
  /** Callback of WhatsApp; null at the others. */
  url: string | null;
  fields: string[];
}

/** Everything that the stand-in knows. Its parts change it. */
export interface MetaWorld {
  app: MetaApp;
  accounts: readonly MetaAccount[];
  callback: MetaCallback | null;
  /** True once somebody has connected the channels, and not only their first one. */
  connected: boolean;
  /** Fields, or the callback of WhatsApp, that `subscribed_apps` stored; by the subscribed id. */
  subscriptions: Map<string, MetaSubscription>;
  webhooks: MetaWebhooks;
  /** The script of the next sends. `left` is how many; infinity: until it changes. */
  script: { name: MetaScriptName; left: number };
  /** The course of the next downloads. */
  mediaScript: { name: MetaMediaScript; left: number };
  files: Map<string, MetaFile>;
  downloads: MetaDownload[];
  uploads: MetaUpload[];
  /** The next uploads that are refused, and the code of the refusal. */
  refusedUploads: { left: number; code: number };
  /** Origin of the stand-in, once it listens. */
  origin: string;
  /** Pause before each status, in milliseconds. */
  statusMs: number;
  /** Templates of every WhatsApp Business Account. */
  templates: MetaTemplate[];
  calls: MetaCall[];
  lines: MetaLine[];
  /** Work that goes on after an answer. */
  running: Set<Promise<unknown>>;
  stopped: AbortController;
}

/** The controls of a stand-in. */
export interface MetaSteering {
  /** A customer writes, or the network's app does. @returns the id of the message */
  receive(network: MetaNetwork, deed: MetaDeed, customer?: MetaCustomer): Promise<string>;
  /** Chooses how the next sends go; without `times` until the next choice. */
  script(this: void, name: MetaScriptName, times?: number): void;
  /** Chooses how the next downloads of files go; without `times` until the next choice. */
  mediaScript(this: void, name: MetaMediaScript, times?: number): void;
  /** Adds a file that a deed may name. @returns its id */
  addFile(this: void, file: Omit<MetaFile, "id">): string;
  /** Downloads of files so far, oldest first. */
  downloads(this: void): MetaDownload[];
  /** Files that the product has uploaded, oldest first. */
  uploads(this: void): MetaUpload[];
  /** The next uploads are refused: without a `code` they find no service. */
  refuseUploads(this: void, times: number, code?: number): void;
  /** Chooses the templates of WhatsApp from now on. */
  setTemplates(this: void, templates: readonly MetaTemplate[]): void;
  /** A template gets another status, and a webhook tells of it. */
  moveTemplate(name: string, language: string, status: string): Promise<void>;
  /** Sends so far, oldest first. */
  calls(this: void): MetaCall[];
  lines(this: void): MetaLine[];
  deliveries(this: void): MetaDelivery[];
  /** Subscribed ids with the callback of WhatsApp, or the fields of the others. */
  subscriptions(this: void): [id: string, url: string | null, fields: string[]][];
  /** From now on webhooks go there: the channels are connected. */
  connectTo(this: void, callback: MetaCallback): void;
  /** The handshake with the callback. @returns null, or what went wrong */
  verify(): Promise<string | null>;
  /** From now on webhooks wait for `release`. */
  hold(this: void): void;
  /** Sends what was held. @returns the number of webhooks */
  release(how?: MetaRelease): Promise<number>;
  /** Resolves once no status and no webhook is under way. */
  idle(): Promise<void>;
}

const maxKept = 1_000;

/** Keeps an entry, and lets the oldest go. */
export function keep<T>(list: T[], entry: T): T {
  list.push(entry);
  if (list.length > maxKept) list.shift();
  return entry;
}

/** Lets `work` go on. `idle` waits for it, and a failure is its own. */
export function goOn(world: MetaWorld, work: Promise<unknown>): void {
  const tracked: Promise<unknown> = work
    .catch(() => undefined)
    .finally(() => world.running.delete(tracked));
  world.running.add(tracked);
}

/** The id by which a business writes to a customer. */
export function addressOf(customer: MetaCustomer): string {
  return customer.id ?? customer.userId ?? "";
}
