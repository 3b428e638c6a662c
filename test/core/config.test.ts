import { describe, expect, test } from "vitest";
import { describeConfig, loadConfig, refuseUnsafeProduction } from "../../core/config.ts";

const safe = {
  DATABASE_URL: "mysql://a@b/c",
  SECRET_KEY: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
  PUBLIC_URL: "https://parley.example",
  NODE_ENV: "production",
};
const publicKey = "cGFybGV5LWRldmVsb3BtZW50LWtleS0tbm90LXNhZmU=";

/** The refusal of a start with these settings; null where it starts. */
function refusalOf(settings: Record<string, string>): string | null {
  try {
    refuseUnsafeProduction(loadConfig({ ...safe, ...settings }));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

describe("in production", () => {
  test("safe settings start", () => {
    expect(refusalOf({})).toBeNull();
  });

  test.each([
    [{ ALLOW_PRIVATE_TARGETS: "true" }, "ALLOW_PRIVATE_TARGETS: set it to false."],
    [{ SECRET_KEY: `dev:${publicKey}` }, "SECRET_KEY: set a key of your own."],
    [{ SECRET_KEY: `${safe.SECRET_KEY}, old:${publicKey}` }, "SECRET_KEY: set a key of your own."],
    [{ PUBLIC_URL: "http://parley.example" }, "PUBLIC_URL: set the https address"],
    [{ PUBLIC_URL: "" }, "PUBLIC_URL: set the https address"],
  ])("%j is refused in one line that says what to set", (settings, line) => {
    const lines = refusalOf(settings)?.split("\n") ?? [];
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(line);
    expect(lines[1]).toMatch(/set DANGEROUSLY_\w+_IN_PRODUCTION=true\.$/u);
  });

  test("each danger is named, and no secret is", () => {
    const refusal = refusalOf({
      ALLOW_PRIVATE_TARGETS: "true",
      SECRET_KEY: `dev:${publicKey}`,
      PUBLIC_URL: "http://parley.example",
    });
    expect(refusal?.split("\n")).toHaveLength(5);
    expect(refusal).not.toContain(publicKey);
  });

  test.each([
    [{ ALLOW_PRIVATE_TARGETS: "true" }, "DANGEROUSLY_ALLOW_PRIVATE_TARGETS_IN_PRODUCTION"],
    [{ SECRET_KEY: `dev:${publicKey}` }, "DANGEROUSLY_USE_PUBLIC_SECRET_KEY_IN_PRODUCTION"],
    [{ PUBLIC_URL: "http://10.0.0.1" }, "DANGEROUSLY_USE_PLAIN_HTTP_IN_PRODUCTION"],
  ])("%j starts with its own override alone", (settings, override) => {
    expect(refusalOf({ ...settings, [override]: "true" })).toBeNull();
    const others = { ALLOW_PRIVATE_TARGETS: "true", SECRET_KEY: publicKey, PUBLIC_URL: "" };
    expect(refusalOf({ ...others, ...settings, [override]: "true" })?.split("\n")).toHaveLength(4);
  });
});

test("development starts with all of them", () => {
  const settings = { ALLOW_PRIVATE_TARGETS: "true", SECRET_KEY: publicKey, PUBLIC_URL: "" };
  expect(refusalOf({ ...settings, NODE_ENV: "development" })).toBeNull();
});

test.each([
  "mysql://parley:a/b@db:3306/parley",
  "mysql://parley:12/b@db:3306/parley",
  "mysql://parley:a#b@db:3306/parley",
  "mysql://parley:12#b@db:3306/parley",
  "mysql://parley:a?b@db:3306/parley",
  "mysql://parley:12?b@db:3306/parley",
  "mysql://parley:12/b?c@db:3306/parley",
  "mysql://parley:a%zb@db:3306/parley",
  "mysql://par%ley:a@db:3306/parley",
  "mysql://parley:a@db:3306",
  "mysql://parley:a@db:3306/",
  "mysql://parley:a@db:3306/par%ley",
  "postgres://parley:a@db:3306/parley",
])("the address %s of a database is refused, and the message says how to write it", (url) => {
  expect(() => loadConfig({ ...safe, DATABASE_URL: url })).toThrow(
    /^ {2}DATABASE_URL: Use mysql:.+ Percent-encode the password/mu,
  );
});

test.each([
  "mysql://parley@db/parley",
  "mysql://parley:a%2Fb%23c%25d@db:3306/parley",
  "mysql://parley:a+b=@db:3306/parley?charset=utf8mb4",
  "mysql://parley:a@[fd00::7]:3306/parley",
])("the address %s of a database is taken as written", (url) => {
  expect(loadConfig({ ...safe, DATABASE_URL: url }).databaseUrl).toBe(url);
});

test.each(["TURNSTILE_SITE_KEY", "TURNSTILE_SECRET_KEY"])(
  "%s alone is refused, and the missing key is named",
  (name) => {
    const other = name === "TURNSTILE_SITE_KEY" ? "TURNSTILE_SECRET_KEY" : "TURNSTILE_SITE_KEY";
    expect(refusalOf({ [name]: "a key" })).toContain(other);
    expect(refusalOf({ [name]: "a key", [other]: "another" })).toBeNull();
  },
);

test.each(["0", "-1", "301", "2.5", "many"])(
  "%s attempts at once toward a host are refused",
  (value) => {
    const settings = { ...safe, RECEIVER_MAX_CONCURRENCY: value };
    expect(() => loadConfig(settings)).toThrow(/^ {2}RECEIVER_MAX_CONCURRENCY: .+$/mu);
  },
);

test("a host takes 50 attempts at once unless the installation chooses another number", () => {
  expect(loadConfig(safe).receiverMaxConcurrency).toBe(50);
  const chosen = { ...safe, RECEIVER_MAX_CONCURRENCY: "300" };
  expect(loadConfig(chosen).receiverMaxConcurrency).toBe(300);
});

test("the log shows no secret of any setting", () => {
  const secrets = {
    DATABASE_URL: "mysql://parley:hidden@db/parley",
    SECRET_KEY: "1:hidden-hidden-hidden-hidden-hidden-hidden",
    SMTP_URL: "smtps://user:hidden@mail.example.com",
    MEDIA_S3_ENDPOINT: "https://s3.example.com",
    MEDIA_S3_BUCKET: "files",
    MEDIA_S3_REGION: "eu",
    MEDIA_S3_ACCESS_KEY_ID: "id",
    MEDIA_S3_SECRET_ACCESS_KEY: "hidden",
    GOOGLE_CLIENT_ID: "id",
    GOOGLE_CLIENT_SECRET: "hidden",
    CALENDLY_CLIENT_ID: "id",
    CALENDLY_CLIENT_SECRET: "hidden",
    CALENDLY_SIGNING_KEY: "hidden",
    TURNSTILE_SITE_KEY: "site",
    TURNSTILE_SECRET_KEY: "hidden",
    TEMPORAL_API_KEY: "hidden",
  };
  expect(JSON.stringify(describeConfig(loadConfig({ ...safe, ...secrets })))).not.toContain(
    "hidden",
  );
});

test("the OAuth app at Calendly has all of its settings or none, and the log shows no secret", () => {
  const app = { CALENDLY_CLIENT_ID: "id", CALENDLY_CLIENT_SECRET: "hidden-secret" };
  expect(loadConfig(safe).calendly.app).toBeNull();
  expect(() => loadConfig({ ...safe, ...app })).toThrow("CALENDLY_SIGNING_KEY: is required");
  const config = loadConfig({ ...safe, ...app, CALENDLY_SIGNING_KEY: "hidden-key" });
  expect(config.calendly.app).toMatchObject({
    authUrl: "https://auth.calendly.com",
    clientId: "id",
  });
  expect(JSON.stringify(describeConfig(config))).not.toContain("hidden");
});
