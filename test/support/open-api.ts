import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** What tests read of an OpenAPI document. */
export interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: Record<string, Record<string, unknown>>;
}

/** One operation, or one webhook. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: object;
  }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  security?: unknown[];
}

type Content = Record<"application/json", MediaType>;

/** A schema with its examples: `example` alone, or `examples` by name. */
export interface MediaType {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** Judges values by any schema of one document. */
export interface Judge {
  /** @param pointer the keys to the schema. @returns what does not fit; empty where all does. */
  problems(pointer: string[], value: unknown): string[];
}

/** JSON Schema 2020-12 with formats, references resolved within the document; an unknown keyword throws. */
export function createJudge(document: object): Judge {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  // The document itself is no schema: its own members stand beside those of JSON Schema.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, "document");
  return {
    problems(pointer, value) {
      const path = pointer.map((key) => `/${escapeKey(key)}`).join("");
      const validate = ajv.getSchema(`document#${path}`);
      if (validate === undefined) return [`The document has no ${path}.`];
      if (validate(value) === true) return [];
      return (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
    },
  };
}

/** Every operation and webhook as `GET /path`, with the keys to it. */
export function listOperations(document: Document): [string, string[], Operation][] {
  return (["paths", "webhooks"] as const).flatMap((part) =>
    Object.entries(document[part]).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, string[], Operation] => [
        `${method.toUpperCase()} ${path}`,
        [part, path, method],
        operation,
      ]),
    ),
  );
}

function escapeKey(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
