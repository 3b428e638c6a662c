import { expect, test } from "vitest";
import { testsOf } from "./changed.ts";
import { listTestFiles, projectOf } from "./needs.ts";

const units = listTestFiles().filter((file) => projectOf(file) === "unit");

test("a change of a service runs the tests that import it, and those that start the built processes", () => {
  const found = testsOf(["core/services/appointments/appointments.ts"]);
  expect(found).toEqual(
    expect.arrayContaining([
      ...units,
      "test/dashboard/appointments.test.ts",
      "test/e2e/faults-crash.test.ts",
    ]),
  );
  expect(found).not.toContain("test/dev/mysql.test.ts");
});

test("a change of a page runs the tests in a browser, and none that needs a database alone", () => {
  const found = testsOf(["dashboard/src/features/inbox/inbox-page.tsx"]);
  expect(found).toContain("test/dashboard/inbox.test.ts");
  const projects = new Set(found.map(projectOf));
  expect(projects.has("db")).toBe(false);
});

test("a fixture runs the tests that use it, and a document runs those that name it", () => {
  expect(testsOf(["test/support/smtp.ts"])).toContain("test/e2e/mail.test.ts");
  expect(testsOf(["dev/receiver/receiver.ts"])).toContain("test/dev/receiver/receiver.test.ts");
  expect(testsOf(["docs/operating.md"])).toEqual(expect.arrayContaining(units));
});

test("a change of the packages, or of how servers start, runs everything", () => {
  expect(testsOf(["package-lock.json"])).toEqual(listTestFiles());
  expect(testsOf(["dev/servers/mysql-instance.ts"])).toEqual(listTestFiles());
});
