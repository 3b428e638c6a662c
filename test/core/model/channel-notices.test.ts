import { expect, test } from "vitest";
import { channelReasons, nextSteps } from "../../../core/model/channel-reasons.ts";
import { dueTokenNotice } from "../../../core/model/channel-checks.ts";
import { renderNotification } from "../../../core/model/notification.ts";

test.each(channelReasons)("a trouble for %s names the channel and the next step", (reason) => {
  const params = { channel_name: "Front desk", state: "needs_reauth", reason };
  const { title, body } = renderNotification("channel_trouble", params, null);
  expect(title).toBe("The channel Front desk needs a new token");
  expect(body.startsWith(nextSteps[reason])).toBe(true);
});

const now = new Date("2026-03-02T12:00:00.000Z");
const dayMs = 86_400_000;

test.each([
  [14.01, null],
  [14, 14],
  [3.01, 14],
  [3, 3],
  [1, 1],
  [0.01, 1],
  [0, null],
  [-1, null],
])("with %d days left the notice is that of %j days", (left, days) => {
  expect(dueTokenNotice(new Date(now.getTime() + left * dayMs), now)).toBe(days);
});

test("a token without an end has no notice", () => {
  expect(dueTokenNotice(null, now)).toBe(null);
});
