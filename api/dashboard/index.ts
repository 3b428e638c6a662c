import type { Route } from "../route.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { notificationRoutes } from "./notifications.ts";
import { sessionRoutes } from "./session.ts";
import { subscriptionRoutes } from "./subscriptions.ts";

/** Every route of the Dashboard's own JSON API, below `/dashboard/api`. */
export const dashboardRoutes: Route[] = [
  ...sessionRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  ...notificationRoutes,
  ...apiKeyRoutes,
];
