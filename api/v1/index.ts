import type { DocumentedRoute } from "../http/route.ts";
import { contactRoutes } from "./contacts.ts";
import { conversationRoutes } from "./conversations.ts";
import { messageRoutes } from "./messages.ts";
import { templateRoutes } from "./templates.ts";

/** Every route of API v1, below `/api/v1`. */
export const v1Routes: DocumentedRoute[] = [
  ...contactRoutes,
  ...conversationRoutes,
  ...messageRoutes,
  ...templateRoutes,
];
