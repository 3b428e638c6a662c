import { expect, test } from "vitest";
import { dashboardSections } from "../../core/model/dashboard-sections.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

/** Every file that the page names. */
async function assetPaths(): Promise<string[]> {
  const { text } = await fixture.api.call("GET", "/");
  return [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path));
}

test("the page is served at the app's own URLs, asked for anew each time", async () => {
  const sections = dashboardSections.flatMap((section) => [`/${section}`, `/${section}/7/more`]);
  for (const path of ["/", ...sections]) {
    const { status, headers, text } = await fixture.api.call("GET", path);
    expect([path, status, headers.get("content-type")]).toEqual([
      path,
      200,
      "text/html; charset=utf-8",
    ]);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(text).toContain('<div id="root">');
  }
});

test.each(["/nowhere", "/inboxes", "/assets/none.js", "/assets/..%2findex.html", "/src/main.tsx"])(
  "%s is no URL of the app, and so 404",
  async (path) => {
    const { status, json } = await fixture.api.call("GET", path);
    expect([status, json.error.code]).toEqual([404, "route_not_found"]);
  },
);

test("no script is inline, a style element needs the nonce of this answer, and nothing may frame the page", async () => {
  const answers = await Promise.all([
    fixture.api.call("GET", "/"),
    fixture.api.call("GET", "/inbox"),
  ]);
  const nonces = answers.map(({ headers, text }) => {
    const policy = headers.get("content-security-policy") ?? "";
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    expect(policy.split("; ")).toEqual([
      "default-src 'self'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data: blob: https:",
      "media-src 'self' https:",
      "frame-src 'self' http://127.0.0.1:3000",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(text).toContain(`nonce="${nonce}"`);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/);
    return nonce;
  });
  expect(nonces[0]).not.toBe(nonces[1]);
  expect(nonces[0]).toMatch(/^[\w+/]{22}==$/);
});

test("a file whose name has its hash may be kept for good, and comes packed to those who take that", async () => {
  const paths = await assetPaths();
  expect(paths.length).toBeGreaterThan(1);
  for (const path of paths) {
    const plain = await fetch(fixture.api.url + path, {
      headers: { "accept-encoding": "identity" },
    });
    expect([path, plain.status, plain.headers.get("cache-control")]).toEqual([
      path,
      200,
      "public, max-age=31536000, immutable",
    ]);
    expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("vary")).toMatch(/accept-encoding/i);
    const packed = await fetch(fixture.api.url + path, { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(await packed.text()).toBe(await plain.text());
  }
});
