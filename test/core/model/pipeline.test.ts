import fc from "fast-check";
import { expect, test } from "vitest";
import { placeBetween, placeStep, stageSource } from "../../../core/model/pipeline.ts";
import { eventCatalogue } from "../../../core/model/events.ts";
import type { Principal } from "../../../core/model/principal.ts";

const place = fc.integer({ min: -(2 ** 52), max: 2 ** 52 });

test("a place between two cards is below the one and above the other, or there is none left", () => {
  fc.assert(
    fc.property(place, place, (one, other) => {
      const [below, above] = [Math.min(one, other), Math.max(one, other)];
      const between = placeBetween(above, below);
      const fits = between !== null && between > below && between < above;
      expect(fits).toBe(above - below > 1);
    }),
  );
});

test("at the top and at the bottom there is always a place, a step away", () => {
  fc.assert(
    fc.property(place, (only) => {
      expect(placeBetween(null, only)).toBe(only + placeStep);
      expect(placeBetween(only, null)).toBe(only - placeStep);
    }),
  );
  expect(placeBetween(null, null)).toBe(0);
});

test("between two cards just numbered, twenty more fit in the worst case", () => {
  let above: number | null = placeStep;
  for (let card = 0; card < 20; card += 1) above = placeBetween(above, 0);
  expect(above).toBe(1);
  expect(placeBetween(above, 0)).toBeNull();
});

test("who moves a customer is the source; entering a pipeline is an assignment, whoever did it", () => {
  const accountId = 1;
  const principals: [Principal, string][] = [
    [{ type: "user", accountId, userId: 1, role: "agent" }, "manual"],
    [{ type: "agent", accountId }, "ai"],
    [{ type: "system", accountId }, "system"],
    [{ type: "contact", accountId }, "system"],
    [{ type: "import", accountId }, "system"],
    [{ type: "api_key", accountId, apiKeyId: 1, scopes: [] }, "system"],
    [{ type: "inbound_endpoint", accountId, endpointId: 1 }, "system"],
  ];
  const { source } = eventCatalogue["conversation.stage_changed"].data.shape;
  for (const [principal, expected] of principals) {
    expect(stageSource(principal, false)).toBe(source.parse(expected));
    expect(stageSource(principal, true)).toBe("pipeline_assignment");
  }
});
