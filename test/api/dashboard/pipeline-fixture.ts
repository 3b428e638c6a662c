import type { TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { receive } from "../../support/conversations.ts";
import type { ApiFixture } from "../api-fixture.ts";

/** A pipeline as the Dashboard answers it. */
export interface PipelineAnswer {
  id: number;
  name: string;
  default: boolean;
  stages: { id: number; name: string; cards: number }[];
}

/** A customer with a conversation. */
export interface Customer {
  contactId: number;
  conversationId: number;
}

let names = 0;
let phones = 34_611_000_000;

/** What a person of an account does with its pipelines. */
export function createBoard(fixture: ApiFixture, account: TestAccount = fixture.account) {
  const { dataSource } = fixture.database;
  const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
    await fixture.api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body });
  return {
    call,
    pipeline: async (
      stages = ["New", "Interested", "Won"],
      given: { name?: string; default?: boolean } = {},
    ): Promise<PipelineAnswer & { ids: number[] }> => {
      const name = `Pipeline ${(names += 1)}`;
      const answer = await call("POST", "/pipelines", { name, stages, ...given });
      if (answer.status !== 201) throw new Error(answer.text);
      const pipeline: PipelineAnswer = answer.json.data;
      return { ...pipeline, ids: pipeline.stages.map(({ id }) => id) };
    },
    customer: async (channel: "whatsapp" | "web" = "whatsapp"): Promise<Customer> => {
      const from = String((phones += 1));
      const { row } = await receive(dataSource, account.accountId, { from, channel });
      return { contactId: row.contactId, conversationId: row.conversationId };
    },
    move: async (
      { conversationId }: Customer,
      stageId: number | undefined,
      near: { above_contact_id?: number; below_contact_id?: number } = {},
    ): Promise<TestAnswer> =>
      await call("POST", `/conversations/${conversationId}/stage`, { stage_id: stageId, ...near }),
    /** Who stands in a column, from the top down. */
    column: async (stageId: number | undefined): Promise<number[]> => {
      const { json } = await call("GET", `/stages/${stageId}/cards?limit=100`);
      return json.data.map((card: { contact_id: number }) => card.contact_id);
    },
    /** Number of open cards in a column, as the totals of the pipeline say. */
    cardsIn: async (id: number, stageId: number | undefined): Promise<number> => {
      const { stages } = (await call("GET", `/pipelines/${id}/totals`)).json.data;
      return stages.find((one: { stage_id: number }) => one.stage_id === stageId).cards;
    },
    stageOf: async ({ conversationId }: Customer) => {
      return (await call("GET", `/conversations/${conversationId}`)).json.data.stage;
    },
  };
}
