import { expect, test } from "vitest";
import { describeRefusal, judgeMedia, kindOfType, mediaLimits } from "../../../core/model/media.ts";

const mebibyte = 1_024 * 1_024;

test.each([
  ["whatsapp_cloud", "image", "image/png", 5, null],
  ["whatsapp_cloud", "image", "image/png", 5.1, "too_large"],
  ["whatsapp_cloud", "image", "image/gif", 1, "wrong_type"],
  ["whatsapp_cloud", "image", "application/pdf", 1, "wrong_type"],
  ["whatsapp_cloud", "video", "video/mp4", 16, null],
  ["whatsapp_cloud", "video", "video/webm", 1, "wrong_type"],
  ["whatsapp_cloud", "audio", "audio/ogg", 16, null],
  ["whatsapp_cloud", "audio", "audio/wav", 1, "wrong_type"],
  ["whatsapp_cloud", "audio", "audio/ogg", 16.1, "too_large"],
  ["whatsapp_cloud", "document", "application/octet-stream", 100, null],
  ["whatsapp_cloud", "document", "application/pdf", 100.1, "too_large"],
  ["messenger", "image", "image/gif", 8, null],
  ["messenger", "image", "image/jpeg", 8.1, "too_large"],
  ["instagram_page", "video", "video/mp4", 25, null],
  ["instagram_login", "video", "video/mp4", 25.1, "too_large"],
  ["instagram_login", "audio", "video/mp4", 1, "wrong_type"],
  ["sandbox", "document", "application/zip", 100, null],
] as const)("%s and %s: %s of %d MiB is judged %s", (driver, kind, mime, size, wanted) => {
  expect(judgeMedia(driver, kind, { mime, size: size * mebibyte })).toBe(wanted);
});

test.each([
  ["image/png", "image"],
  ["audio/ogg", "audio"],
  ["video/mp4", "video"],
  ["application/pdf", "document"],
  ["application/octet-stream", "document"],
])("%s makes a message of kind %s", (type, kind) => expect(kindOfType(type)).toBe(kind));

test("the page knows the limits by the channel's name, as the server does by its driver", () => {
  for (const [channel, driver] of [
    ["whatsapp", "whatsapp_cloud"],
    ["facebook", "messenger"],
    ["instagram", "instagram_page"],
  ] as const) {
    for (const kind of ["image", "audio", "video", "document"] as const) {
      expect(mediaLimits(channel, kind)).toEqual(mediaLimits(driver, kind));
    }
  }
  expect(mediaLimits("whatsapp", "image")).toEqual({
    maxBytes: 5 * mebibyte,
    mimeTypes: ["image/jpeg", "image/png"],
  });
  expect(mediaLimits("whatsapp", "document")?.mimeTypes).toBeNull();
  expect(mediaLimits("sandbox", "sticker")).toBeNull();
});

test("a refusal names the limit", () => {
  expect(describeRefusal("whatsapp_cloud", "image", "too_large")).toMatchObject({
    code: "media_too_large",
    message: expect.stringContaining("5 MiB") as string,
  });
  expect(describeRefusal("whatsapp_cloud", "image", "wrong_type")).toMatchObject({
    code: "media_type_refused",
    message: expect.stringContaining("image/jpeg, image/png") as string,
  });
});
