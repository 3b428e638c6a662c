import { expect, test } from "vitest";
import { ensureWidget } from "../../../dev/build/widget-build.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestWidget } from "./widget-fixture.ts";

const widgetUrl = "https://chat.parley.example";
const publicUrl = "https://parley.example";

const fixture = useFixture(async () => {
  await ensureWidget(() => undefined);
  return await startApiFixture({ PUBLIC_URL: publicUrl, WIDGET_URL: widgetUrl });
});

test("the script holds its settings, and no site's policy keeps it out", async () => {
  const { key } = await createTestWidget(fixture);
  const { status, headers, text } = await fixture.api.call("GET", `/widget/${key}.js`);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(headers.get("cache-control")).toBe("public, max-age=60, stale-while-revalidate=86400");
  expect(text).toContain(`"key":"${key}"`);
  expect(text).toContain(`"origin":"${widgetUrl}"`);
  // The visitor's browser needs no other settings before the panel.
  expect(text).not.toContain("pre_chat");
});

test("a script that has not changed is not sent again, and a changed one is", async () => {
  const { key, widgetId } = await createTestWidget(fixture);
  const path = `/widget/${key}.js`;
  const tag = (await fixture.api.call("GET", path)).headers.get("etag") ?? "";
  const again = await fixture.api.call("GET", path, { headers: { "if-none-match": tag } });
  expect([again.status, again.text]).toEqual([304, ""]);
  await fixture.query(
    "UPDATE widgets SET settings = JSON_SET(settings, '$.look.accent', '#aa3322') WHERE id = ?",
    [widgetId],
  );
  const changed = await fixture.api.call("GET", path, { headers: { "if-none-match": tag } });
  expect(changed.status).toBe(200);
  expect(changed.text).toContain('"accent":"#aa3322"');
});

test.each(["/widget/AAAAAAAAAAAAAAAAAAAAAAAAAA.js", "/widget/frame/AAAAAAAAAAAAAAAAAAAAAAAAAA"])(
  "an unknown key is 404: %s",
  async (path) => {
    const { status, json } = await fixture.api.call("GET", path);
    expect([status, json.error.code]).toEqual([404, "widget_not_found"]);
  },
);

test("a deleted widget is gone from the sites that show it", async () => {
  const { key, widgetId } = await createTestWidget(fixture);
  await fixture.query("UPDATE widgets SET deleted_at = NOW(3) WHERE id = ?", [widgetId]);
  for (const path of [`/widget/${key}.js`, `/widget/frame/${key}`])
    expect((await fixture.api.call("GET", path)).status).toBe(404);
});

test("the panel's page brings the words of the language that the site has", async () => {
  const { key } = await createTestWidget(fixture, { settings: { default_locale: "pt" } });
  const load = async (query: string) => {
    const { text } = await fixture.api.call("GET", `/widget/frame/${key}${query}`);
    const [, words = ""] = /<link rel="modulepreload" href="([^"]+)"/u.exec(text) ?? [];
    const file = await fixture.api.call("GET", words);
    return [/<html lang="(\w+)"/u.exec(text)?.[1], file.status, words.replace(/-.*/u, "")];
  };
  expect(await load("?locale=es")).toEqual(["es", 200, "/widget/assets/es"]);
  for (const query of ["", "?locale=xx", "?locale=en&locale=es", '?locale="><script>'])
    expect(await load(query)).toEqual(["pt", 200, "/widget/assets/pt"]);
});

test("the panel's page runs our own script alone, and only allowed sites may frame it", async () => {
  const { key } = await createTestWidget(fixture, {
    allowedOrigins: ["https://shop.example", "https://*.shop.example"],
  });
  const { headers, text } = await fixture.api.call("GET", `/widget/frame/${key}`);
  expect(headers.get("content-security-policy")?.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data: blob: https: ${publicUrl}`,
    `media-src 'self' https: ${publicUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `frame-ancestors 'self' ${publicUrl} https://shop.example https://*.shop.example`,
  ]);
  expect(headers.get("x-frame-options")).toBeNull();
  expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(headers.get("cross-origin-embedder-policy")).toBe("credentialless");
  expect(headers.get("cache-control")).toBe("no-cache");
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=/u);
});

test("a name cannot leave the attribute that holds the settings", async () => {
  const widget = await createTestWidget(fixture);
  await fixture.query("UPDATE accounts SET name = ? WHERE id = ?", [
    `"><script>alert(1)</script>`,
    widget.account.accountId,
  ]);
  const { text } = await fixture.api.call("GET", `/widget/frame/${widget.key}`);
  expect(text).not.toContain("<script>alert");
});

test("any site may frame a widget without a list, and pages of apps need their switch", async () => {
  const open = await createTestWidget(fixture);
  const ofApps = await createTestWidget(fixture, { settings: { allows_null_origin: true } });
  const policyOf = async (key: string) =>
    (await fixture.api.call("GET", `/widget/frame/${key}`)).headers.get("content-security-policy");
  expect(await policyOf(open.key)).toMatch(/frame-ancestors \*$/u);
  expect(await policyOf(ofApps.key)).not.toContain("frame-ancestors");
});

test("files of the panel may be kept for good", async () => {
  const { key } = await createTestWidget(fixture);
  const { text } = await fixture.api.call("GET", `/widget/frame/${key}`);
  const paths = [...text.matchAll(/(?:src|href)="(\/widget\/assets\/[^"]+)"/gu)].map(
    ([, path]) => path ?? "",
  );
  // Script, style and the words of the visitor's language.
  expect(paths).toHaveLength(3);
  for (const path of paths) {
    const { status, headers } = await fixture.api.call("GET", path);
    expect([
      status,
      headers.get("cache-control"),
      headers.get("cross-origin-resource-policy"),
    ]).toEqual([200, "public, max-age=31536000, immutable", "cross-origin"]);
  }
});

test("an admin sees which allowed site has loaded the widget", async () => {
  const { key, widgetId } = await createTestWidget(fixture, {
    allowedOrigins: ["https://shop.example"],
  });
  const seenOn = async () =>
    (
      await fixture.query<{ seen_on: string | null }>("SELECT seen_on FROM widgets WHERE id = ?", [
        widgetId,
      ])
    )[0]?.seen_on;
  const load = async (referer: string) =>
    await fixture.api.call("GET", `/widget/${key}.js`, { headers: { referer } });
  await load("https://other.example/");
  expect(await seenOn()).toBeNull();
  await load("https://shop.example/");
  expect(await seenOn()).toBe("https://shop.example");
});

test("in production there is no demo shop", async () => {
  const { key } = await createTestWidget(fixture);
  const { status, text } = await fixture.api.call("GET", `/demo?key=${key}`);
  expect(status).toBe(200);
  expect(text).toContain(`src="${widgetUrl}/widget/${key}.js"`);
});
