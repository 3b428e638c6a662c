import { createHmac } from "node:crypto";

/** The networks that the stand-in speaks for. */
export const metaNetworks = ["whatsapp", "messenger", "instagram"] as const;
export type MetaNetwork = (typeof metaNetworks)[number];

/** A number, Page or Instagram account that Meta knows. */
export interface MetaAccount {
  driver: "whatsapp_cloud" | "messenger" | "instagram_page" | "instagram_login";
  network: MetaNetwork;
  /** Phone number id, Page id, or id of the Instagram account. */
  id: string;
  /** WhatsApp Business Account, or the Page. */
  parentId: string;
  token: string;
  name: string;
  /** Facts of the token and of the number, where they are not those of a healthy account. */
  trouble?: MetaTrouble;
}

/** Troubles of an account. A test may change it while the stand-in runs. */
export interface MetaTrouble {
  /** Another app made the token. */
  tokenAppId?: string;
  scopes?: string[];
  /** End of the token, in seconds since 1970. */
  expiresAt?: number;
  /** The number is not registered at the Cloud API. */
  isUnregistered?: boolean;
  /** Meta blocks the number, for this reason. */
  blockedFor?: string;
  /** People use the number in the WhatsApp Business app as well. */
  isOnBizApp?: boolean;
  /** The token of Instagram Login is too young to be renewed. */
  isYoung?: boolean;
}

/** Accounts of a stand-in that is told no others. */
export const metaAccounts: readonly MetaAccount[] = [
  {
    driver: "whatsapp_cloud",
    network: "whatsapp",
    id: "106540352242922",
    parentId: "102290129340398",
    token: "stand-in-token-whatsapp",
    name: "+1 555 078 3881",
  },
  {
    driver: "messenger",
    network: "messenger",
    id: "178229012934001",
    parentId: "178229012934001",
    token: "stand-in-token-messenger",
    name: "Clínica de prueba",
  },
  {
    driver: "instagram_login",
    network: "instagram",
    id: "17841405822304914",
    parentId: "178229012934001",
    token: "stand-in-token-instagram",
    name: "@clinica.prueba",
  },
];

/** Someone who writes to a business. */
export interface MetaCustomer {
  /** Digits of WhatsApp, or the id that a Page knows. Absent: only `userId` is known. */
  id?: string;
  /** Id of the person at WhatsApp, such as `MX.1349`. */
  userId?: string;
  name: string;
}

/** Customers on the page of the stand-in. */
export const metaCustomers: Readonly<Record<MetaNetwork, MetaCustomer>> = {
  whatsapp: { id: "5215512345678", userId: "MX.1349000000001", name: "Ana Núñez" },
  messenger: { id: "6100000000000001", name: "Luis" },
  instagram: { id: "7200000000000001", name: "Sofía" },
};

/** The app that signs. Instagram Login signs with a secret of its own, if there is one. */
export interface MetaApp {
  id: string;
  secret: string;
  instagramSecret?: string;
}

/** The secret that signs for an account, and that proves its calls. */
export function secretFor(app: MetaApp, account: MetaAccount): string {
  return account.driver === "instagram_login" ? (app.instagramSecret ?? app.secret) : app.secret;
}

/** Lowercase hexadecimal HMAC-SHA256. */
export function hmacHex(secret: string, data: string | Buffer): string {
  return createHmac("sha256", secret).update(data).digest("hex");
}
