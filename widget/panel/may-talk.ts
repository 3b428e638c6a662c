import { isOriginAllowed } from "../../core/model/site-origin.ts";
import type { FrameConfig } from "../../core/model/widget-files.ts";

/**
 * True where a page may talk to the panel.
 * @param origin of the page; `null` for a page of an app
 */
export function mayTalk(
  origin: string,
  { allowed_origins, dashboard_origin, settings }: FrameConfig,
): boolean {
  if (origin === dashboard_origin) return true;
  if (origin === "null") return settings.allows_null_origin;
  return isOriginAllowed(origin, allowed_origins);
}
