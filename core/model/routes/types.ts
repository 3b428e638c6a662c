import type { z } from "zod";
import type { dashboardShapes } from "./index.ts";

type Shapes = typeof dashboardShapes;

/** Name of a route of the Dashboard API: method and path, as in `GET /contacts/:id`. */
export type RouteName = keyof Shapes;

type Part<Name extends RouteName, Key extends "query" | "body" | "meta"> =
  Shapes[Name] extends Record<Key, infer Schema extends z.core.$ZodType> ? Schema : z.ZodUndefined;

/** Schema of a route's query; undefined for a route without one. */
export type QuerySchema<Name extends RouteName> = Part<Name, "query">;

/** Schema of a route's body; undefined for a route without one. */
export type BodySchema<Name extends RouteName> = Part<Name, "body">;

/** `meta` of a route's answer; undefined for a route that is not a list. */
export type AnswerMeta<Name extends RouteName> = z.output<Part<Name, "meta">>;

/** `data` of a route's success. */
export type AnswerData<Name extends RouteName> = DataOf<Shapes[Name]["answers"]>;

type DataOf<Schemas> = { [Status in keyof Schemas]: z.output<Schemas[Status]> }[keyof Schemas];
