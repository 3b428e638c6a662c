import { setTimeout as sleep } from "node:timers/promises";
import { callApi } from "./api.ts";

/** One attempt to create a contact, as its caller saw it. */
export interface ContactCall {
  phone: string;
  /** 0: there was no answer. */
  status: number;
  code: string | null;
  retryAfter: string | null;
  contactId: number | null;
  ms: number;
}

/** Callers at work. */
export interface ContactLoad {
  /** Grows as answers arrive. */
  calls: ContactCall[];
  /** Resolves when all `count` contacts have been tried. */
  done: Promise<ContactCall[]>;
  /** Starts no more calls. @returns all calls once the last one has its answer. */
  stop(): Promise<ContactCall[]>;
}

let nextPhone = 34_600_000_000;

/** A phone that no test of this process has used. */
export function freshPhone(): string {
  return String((nextPhone += 1));
}

/** Creates contacts over `lanes` callers at once, `count` in all or until it is stopped. */
export function startContactLoad(
  url: string,
  apiKey: string,
  { lanes = 8, count = Number.POSITIVE_INFINITY }: { lanes?: number; count?: number } = {},
): ContactLoad {
  const calls: ContactCall[] = [];
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const call = await createContact(url, apiKey, freshPhone());
      calls.push(call);
      // Nobody hammers a server that is away.
      if (call.status === 0 || call.status === 503) await sleep(50);
    }
  };
  const done = Promise.all(Array.from({ length: lanes }, lane)).then(() => calls);
  return {
    calls,
    done,
    async stop() {
      left = 0;
      return await done;
    },
  };
}

/** Creates one contact. Never throws. */
export async function createContact(
  url: string,
  apiKey: string,
  phone: string,
  headers: Record<string, string> = {},
): Promise<ContactCall> {
  const started = performance.now();
  const since = () => performance.now() - started;
  try {
    const answer = await callApi(url, "POST", "/api/v1/contacts", {
      apiKey,
      headers,
      body: { phone },
    });
    return {
      phone,
      status: answer.status,
      code: answer.json?.error?.code ?? null,
      retryAfter: answer.headers.get("retry-after"),
      contactId: answer.json?.data?.id ?? null,
      ms: since(),
    };
  } catch {
    return { phone, status: 0, code: null, retryAfter: null, contactId: null, ms: since() };
  }
}
