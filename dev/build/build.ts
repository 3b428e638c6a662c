import { ensureDashboard } from "./dashboard-build.ts";
import { partLog } from "../local.ts";
import { ensureServer } from "./server-build.ts";
import { ensureWidget } from "./widget-build.ts";

await ensureDashboard(partLog("dashboard"));
await ensureWidget(partLog("widget"));
await ensureServer(partLog("server"));
