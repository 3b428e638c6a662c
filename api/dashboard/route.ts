import type { z } from "zod";
import { dashboardShapes } from "../../core/model/routes/index.ts";
import type { Method, RouteShape } from "../../core/model/routes/shape.ts";
import type {
  AnswerData,
  AnswerMeta,
  BodySchema,
  QuerySchema,
  RouteName,
} from "../../core/model/routes/types.ts";
import type { Answer, Behaviour, Route } from "../http/route.ts";

/** Answer of a route, as its shape declares it. */
export type AnswerOf<Name extends RouteName> = Answer<AnswerData<Name>, AnswerMeta<Name>>;

/**
 * Declares the behaviour of a route of the Dashboard API. Its name finds its shape. Authentication,
 * validation, transaction and envelope follow from both.
 */
export function dashboardRoute<Name extends RouteName, Prepared = undefined>(
  name: Name,
  behaviour: Behaviour<
    z.output<QuerySchema<Name>>,
    z.output<BodySchema<Name>>,
    Prepared,
    AnswerOf<Name>
  >,
): Route {
  const [method, path] = name.split(" ") as [Method, string];
  const { query, body, answers, meta }: RouteShape = dashboardShapes[name];
  const successes = Object.entries(answers).map(([status, data]) => [status, { data, meta }]);
  const route = { ...behaviour, method, path, query, body };
  return { ...route, successes: Object.fromEntries(successes) } as unknown as Route;
}
