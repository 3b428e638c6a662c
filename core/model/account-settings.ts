import { z } from "zod";

/** What an account can set for itself, with what holds until it does. Our choice. */
export const accountSettings = z.object({
  /** Whether a person's reply pauses the AI agent in that conversation. */
  pause_on_human_reply: z.boolean().default(true),
  /** Minutes without a reply after which a handoff is brought to mind. */
  handoff_remind_minutes: z.int().min(1).max(10_080).default(10),
  /** Minutes without a reply after which the admins hear of it. */
  handoff_escalate_minutes: z.int().min(1).max(10_080).default(60),
  /** Hours of silence of the people after which the agent takes over again; null: never. */
  handoff_return_hours: z.int().min(1).max(720).nullable().default(null),
});
export type AccountSettings = z.output<typeof accountSettings>;
