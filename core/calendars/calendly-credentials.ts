import { z } from "zod";

/** Sealed content of a connection with Calendly. Our own key signs its webhooks. */
export const calendlyCredentials = z.strictObject({ token: z.string(), signing_key: z.string() });
export type CalendlyCredentials = z.output<typeof calendlyCredentials>;
