import { z } from "zod";
import { restChannels } from "./channels.ts";
import { weeklyHours } from "./schedule.ts";
import { toWellFormed } from "./wire.ts";

/** Ways in which the agent takes part in the conversations of a channel. */
export const agentModes = ["auto", "draft", "off"] as const;
export type AgentMode = (typeof agentModes)[number];

/** Tools that an account may allow. `hand_off` and the tools that only read are always allowed. */
export const optionalTools = [
  "book_appointment",
  "reschedule_appointment",
  "cancel_appointment",
  "update_contact",
  "move_stage",
  "add_note",
] as const;

/** Outcomes of a turn. */
export const turnOutcomes = [
  "replied",
  "drafted",
  "silent",
  "handed_off",
  "paused",
  "superseded",
  "failed",
] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

/** Kinds of a turn: it answers, it prepares a draft, or it is a trial in the playground. */
export const turnModes = ["live", "draft", "playground"] as const;
export type TurnMode = (typeof turnModes)[number];

/** Reasons of a handover by the agent or its rules. */
export const handoverReasons = [
  "asked_for_a_person",
  "keyword",
  "tag",
  "attachment",
  "not_understood",
  "tool_failed",
  "guard",
  "ai_error",
  "ai_timeout",
  "budget",
  "limits",
  "loop_suspected",
  "agent_decided",
] as const;
export type HandoverReason = (typeof handoverReasons)[number];

const text = (max: number) => z.string().trim().max(max).overwrite(toWellFormed);

const fields = {
  persona: z.strictObject({
    name: text(60).describe("Name by which the agent introduces itself; empty: none."),
    tone: z.enum(["friendly", "neutral", "formal"]),
    instructions: text(4_000).describe("Rules in your own words, for models only."),
    introduces: z.boolean().describe("The first message says that an assistant writes."),
  }),
  /** Mode per channel; absent: `auto`. */
  modes: z.partialRecord(z.enum(restChannels), z.enum(agentModes)),
  tools: z.array(z.enum(optionalTools)).max(optionalTools.length),
  allowed_stage_ids: z.array(z.int().positive()).max(100),
  /** Answers from knowledge need a marker of their source. */
  strict: z.boolean(),
  blocked_words: z.array(text(60).min(1)).max(200),
  /** A burst with one of these words goes to a person. */
  handover_keywords: z.array(text(60).min(1)).max(100),
  /** Conversations of contacts with one of these tags go to a person. */
  handover_tags: z.array(text(60).min(1)).max(50),
  attachments: z.enum(["ask", "hand_over"]),
  /** Hours in which people answer; null: always. */
  team_hours: weeklyHours.nullable(),
  /** Seconds of silence after which a burst counts as complete. */
  quiet_seconds: z.int().min(0).max(15),
  daily_budget_micros: z.int().min(0).nullable(),
  monthly_budget_micros: z.int().min(0).nullable(),
};

/** The settings of an agent, which are published as a version. */
export const agentSettings = z.object({
  persona: fields.persona.default({
    name: "",
    tone: "friendly",
    instructions: "",
    introduces: true,
  }),
  modes: fields.modes.default({}),
  tools: fields.tools.default([...optionalTools]),
  allowed_stage_ids: fields.allowed_stage_ids.default([]),
  strict: fields.strict.default(true),
  blocked_words: fields.blocked_words.default([]),
  handover_keywords: fields.handover_keywords.default([]),
  handover_tags: fields.handover_tags.default([]),
  attachments: fields.attachments.default("ask"),
  team_hours: fields.team_hours.default(null),
  quiet_seconds: fields.quiet_seconds.default(4),
  daily_budget_micros: fields.daily_budget_micros.default(null),
  monthly_budget_micros: fields.monthly_budget_micros.default(null),
});
export type AgentSettings = z.output<typeof agentSettings>;

/** All settings as they are read. */
export const agentSettingsView = z.strictObject(fields);

/** The settings to change. Absent settings stay as they are. */
export const agentSettingsPatch = agentSettingsView.partial();
export type AgentSettingsPatch = z.output<typeof agentSettingsPatch>;

/** Kinds of model providers. */
export const providerKinds = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "openai_compatible",
] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The built-in agent, which needs no provider. */
export const basicEngine = "basic";
export type AgentEngine = ProviderKind | typeof basicEngine;

/** States of a knowledge item. Only an approved item answers. */
export const knowledgeStates = ["suggested", "approved", "archived"] as const;
export type KnowledgeState = (typeof knowledgeStates)[number];
