import { z } from "zod";

/** A personal access token. Our own key signs its webhooks. */
const personalToken = z.strictObject({ token: z.string(), signing_key: z.string() });

/** A grant to our OAuth app, whose key signs its webhooks. Moments are ISO 8601. */
const appGrant = z.strictObject({
  access_token: z.string(),
  /** Calendly takes it once. */
  refresh_token: z.string(),
  issued_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type CalendlyAppGrant = z.output<typeof appGrant>;

/** Sealed content of a connection with Calendly. */
export const calendlyCredentials = z.union([personalToken, appGrant]);
export type CalendlyCredentials = z.output<typeof calendlyCredentials>;

/** The token of calls with these credentials. */
export function calendlyToken(credentials: CalendlyCredentials): string {
  return "token" in credentials ? credentials.token : credentials.access_token;
}

/** Our own signing key; null where the key of the OAuth app signs. */
export function ownSigningKey(credentials: CalendlyCredentials): string | null {
  return "signing_key" in credentials ? credentials.signing_key : null;
}
