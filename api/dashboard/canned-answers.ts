import { deleteAnswer, getAnswer } from "../../core/services/answers/answer-rows.ts";
import {
  cannedAnswers,
  createCannedAnswer,
  listCannedAnswers,
  presentCannedAnswer,
  updateCannedAnswer,
} from "../../core/services/answers/canned-answers.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Canned answers";
const noun = "canned_answer";

/** Canned answers, which a person puts into a reply by their shortcut. */
export const cannedAnswerRoutes = [
  dashboardRoute("GET /canned-answers", {
    access: agent,
    tag,
    summary: "List and search the canned answers of the account and your own",
    run: async (tx, { query }) => {
      const page = await listCannedAnswers(tx, query);
      return { data: page.rows.map(presentCannedAnswer), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /canned-answers", {
    access: agent,
    tag,
    summary: "Add a canned answer for yourself; an admin may share it with the account",
    errors: ["forbidden_role"],
    run: async (tx, { body }) => ({
      data: presentCannedAnswer(await createCannedAnswer(tx, body)),
    }),
  }),
  dashboardRoute("GET /canned-answers/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a canned answer",
    run: async (tx, { id }) => ({
      data: presentCannedAnswer(await getAnswer(tx, cannedAnswers, id)),
    }),
  }),
  dashboardRoute("PATCH /canned-answers/:id", {
    access: agent,
    tag,
    noun,
    summary: "Change a canned answer of your own, or as an admin a shared one",
    errors: ["forbidden_role"],
    run: async (tx, { id, body }) => ({
      data: presentCannedAnswer(await updateCannedAnswer(tx, id, body)),
    }),
  }),
  dashboardRoute("DELETE /canned-answers/:id", {
    access: agent,
    tag,
    noun,
    summary: "Delete a canned answer of your own, or as an admin a shared one",
    errors: ["forbidden_role"],
    run: async (tx, { id }) => {
      await deleteAnswer(tx, cannedAnswers, id);
      return { data: { id } };
    },
  }),
];
