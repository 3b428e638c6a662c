import { expect, test } from "vitest";
import { eventCatalogue, eventEnvelope } from "../../core/model/events.ts";
import { verifySignature } from "../../core/signature.ts";
import { eventually } from "../support/eventually.ts";
import { dashboard, postsTo, startDeliveryFixture, subscribe } from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);

test("a customer's way through a pipeline reaches receivers signed, and those alone who want its channel", async () => {
  const events = ["conversation.stage_changed"];
  const { secret } = await subscribe(fixture, "/stages", { events });
  await subscribe(fixture, "/web", { events, channels: ["web_widget"] });
  const pipeline = await dashboard(fixture, "POST", "/pipelines", {
    name: "Sales",
    stages: ["New", "Won"],
    default: true,
  });
  const [first, won] = pipeline.json.data.stages;
  const write = async (channel: string, from: string) =>
    (await dashboard(fixture, "POST", "/sandbox/messages", { channel, from, text: "Hello" })).json
      .data;
  const customer = await write("whatsapp", "+52 1 55 1234 5678");
  await eventually(() => expect(postsTo(fixture, "/stages")).toHaveLength(1));
  const move = { stage_id: won.id };
  await dashboard(fixture, "POST", `/conversations/${customer.conversation_id}/stage`, move);
  await dashboard(fixture, "POST", `/conversations/${customer.conversation_id}/stage`, move);
  const visitor = await write("web", "visitor-1");
  await eventually(() => {
    expect(postsTo(fixture, "/stages")).toHaveLength(3);
    expect(postsTo(fixture, "/web")).toHaveLength(1);
  });
  const read = (path: string) =>
    postsTo(fixture, path).map(({ headers, body }) => {
      expect(headers["x-service-event"]).toBe("conversation.stage_changed");
      const { data } = eventEnvelope.parse(JSON.parse(body.toString()));
      return eventCatalogue["conversation.stage_changed"].data.parse(data);
    });
  for (const { headers, body } of postsTo(fixture, "/stages")) {
    expect(verifySignature(String(headers["x-service-signature"]), secret, body)).toBe(true);
  }
  const where = { pipeline_id: pipeline.json.data.id, pipeline_name: "Sales" };
  const entered = {
    ...where,
    stage_id: first.id,
    stage_name: "New",
    previous_stage_id: null,
    previous_stage_name: null,
    source: "pipeline_assignment",
    actor_user_id: null,
  };
  const { conversation_id, contact_id } = customer;
  const of = { conversation_id, contact_id, channel: "whatsapp" };
  const enters = {
    ...entered,
    conversation_id: visitor.conversation_id,
    contact_id: visitor.contact_id,
    channel: "web_widget",
  };
  expect(read("/web")).toEqual([enters]);
  expect(read("/stages")).toEqual(
    expect.arrayContaining([
      { ...of, ...entered },
      {
        ...of,
        ...where,
        stage_id: won.id,
        stage_name: "Won",
        previous_stage_id: first.id,
        previous_stage_name: "New",
        source: "manual",
        actor_user_id: fixture.account.userId,
      },
      enters,
    ]),
  );
});
