import { render } from "preact";
import type { FrameConfig } from "../../core/model/widget-files.ts";
import { App } from "./app.tsx";
import { PanelChat } from "./chat.ts";
import "./panel.css";

const config = document.querySelector<HTMLMetaElement>("meta[name=parley-config]")?.content;
const root = document.querySelector("#root");

if (config !== undefined && root !== null)
  render(<App chat={new PanelChat(JSON.parse(config) as FrameConfig)} />, root);
