import { z } from "zod";
import { recordId } from "./wire.ts";

/** States of a person in a conversation that others see. */
const presenceStates = ["viewing", "typing"] as const;

/** States of a heartbeat. `left` ends the presence at once, in place of its expiry. */
const heartbeatStates = [...presenceStates, "left"] as const;
export type HeartbeatState = (typeof heartbeatStates)[number];

/** Body of a heartbeat. */
export const presenceBody = z.strictObject({
  state: z
    .enum(heartbeatStates)
    .describe("Send it every 10 s, and `typing` every 4 s while the person types."),
});

/** A person who looks at a conversation or types in it. */
const viewerView = z.strictObject({ user_id: recordId, state: z.enum(presenceStates) });
export type ViewerView = z.output<typeof viewerView>;

/** Everybody else who looks at a conversation. */
export const presenceView = z.strictObject({ viewers: z.array(viewerView) });

/**
 * Heartbeats in the row of an API process: account, conversation, user, its age in milliseconds
 * when the row was written, and its state. An age needs no common clock. User 0 is the visitor of a
 * conversation of web chat.
 */
export const storedHeartbeats = z.array(
  z.tuple([recordId, recordId, z.int().min(0), z.number(), z.enum(heartbeatStates)]),
);
export type StoredHeartbeat = z.output<typeof storedHeartbeats>[number];
