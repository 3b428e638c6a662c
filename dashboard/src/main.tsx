// The texts must be there before the first render.
import "./lib/no-eval.ts";
import "@fontsource-variable/inter";
import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "@mantine/spotlight/styles.layer.css";
import "./global.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { startI18n } from "./lib/i18n.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root.");
await startI18n();
createRoot(root).render(<App />);
