/**
 * First path segments of the URLs of the Dashboard's app. The API serves the app there, and the app
 * builds its paths from them.
 */
export const dashboardSections = [
  "login",
  "link",
  "inbox",
  "contacts",
  "pipelines",
  "appointments",
  "agent",
  "channels",
  "webhooks",
  "inbound",
  "api-keys",
  "notifications",
  "settings",
  "system",
] as const;
export type DashboardSection = (typeof dashboardSections)[number];
