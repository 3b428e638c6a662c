import { z } from "zod";
import { knowledgeStates } from "../agent.ts";
import { knowledgeSourceKinds } from "../knowledge.ts";
import { locales } from "../user.ts";
import { recordId, timestamp } from "../wire.ts";
import { sourceFailures } from "../workflow/knowledge-refresh.ts";

/** A question with its stored answer. */
export const knowledgeItemView = z.strictObject({
  id: recordId,
  question: z.string(),
  phrasings: z.array(z.string()),
  answer: z.string(),
  language: z.enum(locales),
  state: z.enum(knowledgeStates),
  valid_until: timestamp.nullable(),
  source_id: recordId.nullable().describe("The page or file of which it was suggested."),
  replaces: z
    .strictObject({ id: recordId, question: z.string(), answer: z.string() })
    .nullable()
    .describe("The approved item that is archived once this suggestion is approved."),
  created_by_user_id: recordId.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type KnowledgeItemView = z.output<typeof knowledgeItemView>;

/** A page or file from which items are suggested. */
export const knowledgeSourceView = z.strictObject({
  id: recordId,
  kind: z.enum(knowledgeSourceKinds),
  location: z.string().describe("URL of a page, name of a file."),
  language: z.enum(locales),
  state: z.enum(["reading", "ready", "failed"]),
  failure: z.enum(sourceFailures).nullable().describe("Why the newest read gave nothing."),
  questions: z.int().min(0).describe("Questions of the newest read that succeeded."),
  suggestions: z.int().min(0).describe("Suggestions without a decision."),
  fetched_at: timestamp.nullable(),
  created_at: timestamp,
});
export type KnowledgeSourceView = z.output<typeof knowledgeSourceView>;

/** A question of customers that no item answered. Equal questions are one gap. */
export const knowledgeGapView = z.strictObject({
  id: recordId.describe("Of the newest of them."),
  question: z.string(),
  language: z.enum(locales),
  times: z.int().min(1),
  conversation_id: recordId.describe("Of the newest of them."),
  draft: z.string().nullable().describe("The text that a person answered there, if one did."),
  item_id: recordId.nullable().describe("A suggested item that would answer it."),
  created_at: timestamp,
});
export type KnowledgeGapView = z.output<typeof knowledgeGapView>;

/** An item that fits a question. */
export const knowledgeHitView = z.strictObject({
  id: recordId,
  question: z.string(),
  answer: z.string(),
  language: z.enum(locales),
  score: z.number().min(0).max(1).describe("The agent answers from 0.6 on, and offers from 0.35."),
});
