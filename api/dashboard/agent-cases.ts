import { createCaseOfTurn } from "../../core/services/agent/case-of-turn.ts";
import {
  createAgentCase,
  deleteAgentCase,
  listAgentCases,
  presentCase,
  presentCases,
  requestCases,
  updateAgentCase,
} from "../../core/services/agent/cases.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "AI agent";
const noun = "agent_case";

/** Test cases of the agent, which its draft answers in the playground. */
export const agentCaseRoutes = [
  dashboardRoute("GET /agent-cases", {
    access: agent,
    tag,
    summary: "List the test cases of the agent, newest first",
    run: async (tx, { query }) => {
      const page = await listAgentCases(tx, query);
      return { data: await presentCases(tx, page.rows), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /agent-cases", {
    access: admin,
    tag,
    summary: "Add a test case: lines of a customer, and what must come of them",
    run: async (tx, { body }) => ({ data: await presentCase(tx, await createAgentCase(tx, body)) }),
  }),
  dashboardRoute("POST /agent-cases/run", {
    access: admin,
    tag,
    summary: "Run all test cases with the draft; results appear one after the other",
    run: async (tx) => ({ data: { queued: await requestCases(tx) } }),
  }),
  dashboardRoute("PATCH /agent-cases/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a test case, which then has no result",
    run: async (tx, { id, body }) => ({
      data: await presentCase(tx, await updateAgentCase(tx, id, body)),
    }),
  }),
  dashboardRoute("DELETE /agent-cases/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a test case",
    run: async (tx, { id }) => {
      await deleteAgentCase(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /agent-turns/:id/case", {
    access: admin,
    tag,
    noun: "agent_turn",
    summary: "Make a test case of a turn, without the customer's phone, email and name",
    run: async (tx, { id }) => ({ data: await presentCase(tx, await createCaseOfTurn(tx, id)) }),
  }),
];
