import { z } from "zod";
import { knowledgeStates } from "./agent.ts";
import { locales } from "./user.ts";
import { momentInput, pageParameters, searchInQuery, toWellFormed } from "./wire.ts";

/** Most knowledge items of an account, and most other wordings of a question. */
export const maxKnowledgeItems = 5_000;
const maxPhrasings = 20;
export const maxQuestionLength = 500;
export const maxAnswerLength = 4_000;

const text = (max: number) =>
  z
    .string()
    .trim()
    .min(1, "Use 1 character or more.")
    .max(max, `Use at most ${max} characters.`)
    .overwrite(toWellFormed);

const question = text(maxQuestionLength);

const fields = {
  question,
  answer: text(maxAnswerLength).describe("Plain text, as the customer reads it."),
  language: z.enum(locales),
  phrasings: z
    .array(question)
    .max(maxPhrasings, `Use at most ${maxPhrasings} wordings.`)
    .describe("Other wordings of the question."),
  state: z
    .enum(knowledgeStates)
    .describe("Only an approved item answers. Agents propose, admins approve and archive."),
  valid_until: momentInput.nullable().describe("The item answers until then. Null: without end."),
};

/** Body of a new knowledge item. */
export const knowledgeItemCreateBody = z.strictObject({
  ...fields,
  phrasings: fields.phrasings.default([]),
  state: fields.state.default("suggested"),
  valid_until: fields.valid_until.default(null),
  gap_id: z.int().positive().optional().describe("An open gap that the item answers."),
});
export type KnowledgeItemCreateBody = z.output<typeof knowledgeItemCreateBody>;

/** Body of a change of a knowledge item. Absent fields stay as they are. */
export const knowledgeItemPatchBody = z.strictObject(fields).partial();
export type KnowledgeItemPatchBody = z.output<typeof knowledgeItemPatchBody>;

/** Query of the list of knowledge items. */
export const knowledgeListQuery = z.object({
  ...pageParameters,
  state: z.enum(knowledgeStates).optional(),
  language: z.enum(locales).optional(),
  q: searchInQuery.optional().describe("Part of a question or an answer."),
});
export type KnowledgeListQuery = z.output<typeof knowledgeListQuery>;

/** Body of a decision on several items. */
export const knowledgeBulkBody = z.strictObject({
  ids: z.array(z.int().positive()).min(1).max(100, "Use at most 100 items."),
  state: z.enum(["approved", "archived"]),
});
export type KnowledgeBulkBody = z.output<typeof knowledgeBulkBody>;

/** Kinds of sources of suggestions. */
export const knowledgeSourceKinds = ["page", "file"] as const;
export type KnowledgeSourceKind = (typeof knowledgeSourceKinds)[number];

/** Most bytes of a file in UTF-8. A page has at most as many. */
export const maxSourceBytes = 2 * 1_024 * 1_024;

/** Body of a new source. */
export const knowledgeSourceBody = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("page"),
    url: z.string().trim().max(2_048, "Use at most 2048 characters."),
    language: z.enum(locales).describe("Of the suggestions."),
  }),
  z.strictObject({
    kind: z.literal("file"),
    name: text(200).describe(
      "Ends in .txt, .md or .csv. A csv has question and answer as columns.",
    ),
    content: z.string().describe("The text of the file, 2 MiB at most."),
    language: z.enum(locales).describe("Of the suggestions."),
  }),
]);
export type KnowledgeSourceBody = z.output<typeof knowledgeSourceBody>;
export type KnowledgePageBody = Extract<KnowledgeSourceBody, { kind: "page" }>;

/** Query of the list of sources. */
export const knowledgeSourceListQuery = z.object(pageParameters);

/** Query of the list of gaps. */
export const knowledgeGapListQuery = z.object({
  ...pageParameters,
  language: z.enum(locales).optional(),
});
export type KnowledgeGapListQuery = z.output<typeof knowledgeGapListQuery>;

/** Body of a test search. */
export const knowledgeSearchBody = z.strictObject({
  text: text(2_000).describe("A question, as a customer would ask it."),
  language: z.enum(locales).optional().describe("Default: the account's language."),
});
