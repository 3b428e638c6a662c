import { z } from "zod";
import { endpointKinds, inboundResults } from "../inbound.ts";
import { inboundVerdicts, signatureFaults, signatureHeaders } from "../inbound-log.ts";
import { voiceResults } from "../voice.ts";
import { recordId, timestamp } from "../wire.ts";

const moment = timestamp.nullable();

/** An inbound endpoint or a voice integration, without its secret. */
export const inboundEndpointView = z.strictObject({
  id: recordId,
  kind: z.enum(endpointKinds),
  name: z.string(),
  strict: z.boolean(),
  enabled: z.boolean(),
  url: z.string().nullable().describe("Null to whoever is no admin: who knows it may call it."),
  slug: z.string().nullable(),
  old_secret_until: moment.describe("After a rotation: until when the secret before is taken."),
  last_request_at: moment.describe("Within the last 30 days."),
  last_24_hours: z
    .record(z.enum(inboundVerdicts), z.int())
    .describe("How many calls came, by what became of them."),
  created_at: timestamp,
  updated_at: timestamp,
});

/** An inbound endpoint with its secret, which is shown this once. Rule C60. */
export const inboundEndpointWithSecret = inboundEndpointView.extend({ secret: z.string() });

/** One call in an endpoint's log. */
export const inboundRequestView = z.strictObject({
  id: recordId,
  received_at: timestamp,
  event: z.string().nullable(),
  event_id: z.string().nullable(),
  verdict: z.enum(inboundVerdicts),
  status_code: z.int(),
  error_code: z.string().nullable(),
  result: z.enum([...new Set([...inboundResults, ...voiceResults])]).nullable(),
  replayed: z.boolean(),
  contact_id: recordId.nullable(),
  appointment_id: recordId.nullable(),
  ip: z.string().nullable(),
  calls: z
    .int()
    .min(1)
    .describe("More than 1 on a row of `limited` calls: one row stands for those of a minute."),
  duration_ms: z.int(),
  body_bytes: z.int().nullable(),
  body: z.string().nullable().describe("The first 64 KiB, if the signature fitted."),
  signature: z
    .strictObject({
      fault: z.enum(signatureFaults),
      header: z.enum(signatureHeaders).describe("Which header was read."),
      clock_off_seconds: z.int().nullable().describe("Of a stale timestamp; later ones positive."),
      header_names: z.array(z.string()).describe("Which headers came, without their values."),
      body_sha256: z.string().describe("Of the body that was read, in hex."),
    })
    .nullable()
    .describe("Why the signature was refused; null where it was not."),
});
