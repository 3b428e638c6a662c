import type { z } from "zod";
import { AppError, type ErrorDetail } from "../../core/errors.ts";

/** One part of a request, with the schema that parses it. */
export type InputPart = { part: "query" | "body"; schema: z.ZodType; value: unknown };

/** A longer list could make the answer larger than the request. */
const maxDetails = 100;

/**
 * Parses every part of a request.
 * @returns the parsed value of each part.
 * @throws AppError `validation_error` with the issues of all parts, up to 100 of them.
 */
export function parseInput(parts: InputPart[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const details: ErrorDetail[] = [];
  for (const { part, schema, value } of parts) {
    const parsed = schema.safeParse(value);
    if (parsed.success) values[part] = parsed.data;
    else details.push(...parsed.error.issues.flatMap((issue) => detailsOf(part, issue, value)));
  }
  if (details.length === 0) return values;
  throw invalidInput(details);
}

/** Parses only a body. @throws AppError `validation_error` as `parseInput` does. */
export function parseBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues.flatMap((issue) => detailsOf("body", issue, value)));
}

function invalidInput(details: ErrorDetail[]): AppError {
  const fields = details.length === 1 ? "1 invalid field" : `${details.length} invalid fields`;
  const told = details.slice(0, maxDetails);
  return new AppError("validation_error", { message: `The request has ${fields}.`, details: told });
}

function detailsOf(part: string, issue: z.core.$ZodIssue, value: unknown): ErrorDetail[] {
  const path = [part, ...issue.path.map(String)].join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: `${path}.${key}`,
      code: "unknown_field",
      message: "This field is not known here. Remove it.",
    }));
  }
  if (issue.code === "invalid_type" && valueAt(value, issue.path) === undefined) {
    return [{ path, code: "required", message: "This field is required." }];
  }
  const code = issue.code === "custom" ? customCode(issue.params) : issue.code;
  return [{ path, code, message: issue.message }];
}

function customCode(params: Record<string, unknown> | undefined): string {
  return typeof params?.["code"] === "string" ? params["code"] : "invalid_value";
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === "object" && current !== null ? Reflect.get(current, key) : undefined,
    value,
  );
}
