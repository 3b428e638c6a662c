import {
  listVersions,
  presentAgent,
  presentVersion,
  publishAgent,
  restoreVersion,
  updateAgent,
} from "../../core/services/agent/profile.ts";
import {
  createProvider,
  deleteProvider,
  listProviders,
  presentProvider,
  updateProvider,
} from "../../core/services/agent/providers.ts";
import type { Deps } from "../deps.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";
import { modelTargetPolicyOf } from "../../core/target-policy.ts";
import { requireTarget } from "./target.ts";

const tag = "AI agent";
const noun = "agent_provider";

/** The AI agent: its switch, settings, versions and model providers. */
export const agentRoutes = [
  dashboardRoute("GET /agent", {
    access: agent,
    tag,
    summary: "Read the agent: its switch, its draft and its published settings",
    run: async (tx) => ({ data: await presentAgent(tx) }),
  }),
  dashboardRoute("PATCH /agent", {
    access: admin,
    tag,
    summary: "Switch the agent on or off, or change its draft; what is left out stays",
    errors: ["draft_changed"],
    run: async (tx, { body }) => {
      await updateAgent(tx, body);
      return { data: await presentAgent(tx) };
    },
  }),
  dashboardRoute("POST /agent/publish", {
    access: admin,
    tag,
    summary: "Publish the draft as a new version, with which the agent answers from then on",
    errors: ["draft_changed"],
    run: async (tx, { body }) => {
      await publishAgent(tx, body.version);
      return { data: await presentAgent(tx) };
    },
  }),
  dashboardRoute("GET /agent/versions", {
    access: agent,
    tag,
    summary: "List the published versions, newest first",
    run: async (tx, { query }) => {
      const page = await listVersions(tx, query);
      return { data: page.rows.map(presentVersion), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /agent/versions/:id/restore", {
    access: admin,
    tag,
    noun: "agent_version",
    summary: "Put the settings of a version into the draft",
    errors: ["draft_changed"],
    run: async (tx, { id, body }) => {
      await restoreVersion(tx, id, body.version);
      return { data: await presentAgent(tx) };
    },
  }),
  dashboardRoute("GET /agent/providers", {
    access: admin,
    tag,
    summary: "List the model providers in the order in which they serve",
    run: async (tx) => ({ data: (await listProviders(tx)).map(presentProvider) }),
  }),
  dashboardRoute("POST /agent/providers", {
    access: admin,
    tag,
    summary: "Add a model provider; its key is stored sealed and never shown",
    prepare: async ({ body }, deps) => await requireAddress(body.base_url, deps),
    run: async (tx, { body }, { secretBox }) => ({
      data: presentProvider(await createProvider(tx, secretBox, body)),
    }),
  }),
  dashboardRoute("PATCH /agent/providers/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a model provider; another kind or address needs the key again",
    prepare: async ({ body }, deps) => await requireAddress(body.base_url ?? null, deps),
    run: async (tx, { id, body }, { secretBox }) => ({
      data: presentProvider(await updateProvider(tx, secretBox, id, body)),
    }),
  }),
  dashboardRoute("DELETE /agent/providers/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a model provider with its key",
    run: async (tx, { id }) => {
      await deleteProvider(tx, id);
      return { data: { id } };
    },
  }),
];

async function requireAddress(url: string | null, deps: Deps): Promise<void> {
  if (url !== null)
    await requireTarget("body.base_url", url, {
      ...deps,
      targetPolicy: modelTargetPolicyOf(deps.config),
    });
}
