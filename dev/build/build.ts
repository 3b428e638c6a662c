import { ensureDashboard } from "./dashboard-build.ts";
import { partLog } from "../local.ts";
import { ensureServer } from "./server-build.ts";

await ensureDashboard(partLog("dashboard"));
await ensureServer(partLog("server"));
