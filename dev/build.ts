import { ensureDashboard } from "./dashboard-build.ts";
import { partLog } from "./local.ts";

await ensureDashboard(partLog("dashboard"));
