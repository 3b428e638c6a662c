import { z } from "zod";
import { recordId } from "../wire.ts";
import { defineEvent } from "./define-event.ts";

const testPing = z.strictObject({
  message: z.string(),
  subscription_id: recordId,
  triggered_by_user_id: recordId,
});

export const testEvents = {
  "test.ping": defineEvent({
    summary: "Someone presses Send test in the Dashboard. It goes to that subscription alone.",
    data: testPing,
    sample: {
      message: "This is a test from Parley.",
      subscription_id: 7,
      triggered_by_user_id: 31,
    },
  }),
};
