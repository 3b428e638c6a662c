import { signBody } from "../../core/signature.ts";
import type { CallingAccount } from "./accounts.ts";
import type { CallLine } from "./ledger.ts";
import type { Chance } from "./random.ts";

/** A call that is repeated until its outcome is known. A call without a key is made once. */
export interface Call {
  line: CallLine;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Returns a function that makes random calls of all kinds. Each call has a phone that no other call
 * has created.
 */
export function createCaller(
  accounts: readonly CallingAccount[],
  chance: Chance,
  nextTaggable: () => CallLine | undefined,
): () => Call {
  let phone = 34_600_000_000 + chance.between(0, 99) * 1_000_000;
  const nextPhone = (): string => String((phone += 1));
  return () => {
    const account = chance.pick(accounts);
    const roll = chance.next();
    // Drawn even for a tag call: a taggable contact depends on the machine's speed, which must not
    // change later phones.
    const own = nextPhone();
    const tagged = roll < 0.1 ? nextTaggable() : undefined;
    if (tagged !== undefined) return tagCall(accounts, tagged);
    if (roll < 0.2) return inboundCall(account, own);
    return createCall(account, own, roll < 0.7);
  };
}

function createCall({ accountId, apiKey }: CallingAccount, phone: string, keyed: boolean): Call {
  return {
    line: { kind: "create", accountId, phone, repeatable: keyed, outcome: "unknown" },
    path: "/api/v1/contacts",
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(keyed ? { "idempotency-key": `create-${phone}` } : {}),
    },
    body: JSON.stringify({ phone, name: `Contact ${phone}` }),
  };
}

function inboundCall(account: CallingAccount, phone: string): Call {
  return signedCall(account, "inbound", phone, { event: "contact.upsert", data: { phone } });
}

function tagCall(accounts: readonly CallingAccount[], { accountId, phone }: CallLine): Call {
  const account = accounts.find((one) => one.accountId === accountId);
  if (account === undefined) throw new Error("A contact is of an account that nobody has.");
  return signedCall(account, "tag", phone, {
    event: "contact.tag.add",
    data: { phone, tag: "faults" },
  });
}

function signedCall(
  { accountId, inbound }: CallingAccount,
  kind: "inbound" | "tag",
  phone: string,
  content: object,
): Call {
  const body = JSON.stringify(content);
  return {
    line: { kind, accountId, phone, repeatable: true, outcome: "unknown" },
    path: `/api/webhooks/inbound/${inbound.slug}`,
    headers: {
      "x-service-signature": signBody(inbound.secret, Buffer.from(body)),
      "x-service-event-id": `${kind}-${phone}`,
    },
    body,
  };
}
