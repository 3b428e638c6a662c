import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { command, openPanel, startWidgetPages } from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

test("setContext before and after the chat begins reaches the session, and a reset forgets it", async () => {
  const { page, widget } = await fixture.visit();
  const stored = async () =>
    await fixture.query(
      "SELECT context FROM widget_sessions WHERE widget_id = ? ORDER BY id DESC LIMIT 1",
      [widget.widgetId],
    );
  await command(page, "setContext", { plan: "free" });
  await openPanel(page);
  await eventually(async () => expect(await stored()).toEqual([{ context: { plan: "free" } }]));
  await command(page, "setContext", { plan: "pro", items: 3 });
  expect(await stored()).toEqual([{ context: { plan: "pro", items: "3" } }]);
  await command(page, "reset");
  expect(await stored()).toEqual([{ context: null }]);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`key${at}`, at]));
  for (const wrong of [null, "plan", 7, many, { cart: [] }, { plan: "x".repeat(4_097) }]) {
    await expect(command(page, "setContext", wrong)).rejects.toThrow("Parley: context must be");
  }
});
