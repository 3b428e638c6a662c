import { expect, test } from "vitest";
import {
  eventChannel,
  eventChannels,
  restChannel,
  restChannels,
  toEventChannel,
  toRestChannel,
} from "../../../core/model/channels.ts";

test("web chat is web in the REST API and web_widget in events; all others are spelled alike", () => {
  expect(restChannels.map(toEventChannel)).toEqual([
    "whatsapp",
    "instagram",
    "facebook",
    "web_widget",
  ]);
  expect(eventChannels.map(toRestChannel)).toEqual(["whatsapp", "instagram", "facebook", "web"]);
});

test("neither spelling is taken for the other", () => {
  expect(restChannel.safeParse("web_widget").success).toBe(false);
  expect(eventChannel.safeParse("web").success).toBe(false);
});
