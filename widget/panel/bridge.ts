import type { FrameConfig } from "../../core/model/widget-files.ts";
import type { WidgetConfig } from "../../core/model/widget-visit.ts";
import {
  hello,
  preview,
  welcome,
  type HostCall,
  type HostState,
  type PanelMessage,
} from "../shared/protocol.ts";
import { mayTalk } from "./may-talk.ts";

/** Way to the host page. */
export interface Bridge {
  tell(message: PanelMessage): void;
}

interface BridgeOptions {
  config: FrameConfig;
  onWelcome: (state: HostState) => void;
  onCall: (call: HostCall) => Promise<void>;
  onPreview: (config: WidgetConfig) => void;
}

/** Opens the way to the host page: hello, then a port. Any other message is ignored. */
export function openBridge({ config, onWelcome, onCall, onPreview }: BridgeOptions): Bridge {
  let port: MessagePort | null = null;
  addEventListener("message", ({ data, source, origin, ports }: MessageEvent) => {
    if (source !== parent || typeof data !== "object" || data === null) return;
    const { kind, state, config: shown } = data as Record<string, unknown>;
    if (kind === preview && origin === config.dashboard_origin)
      return onPreview(shown as WidgetConfig);
    if (kind !== welcome || !mayTalk(origin, config) || port !== null) return;
    port = ports[0] ?? null;
    if (port === null) return;
    port.onmessage = ({ data: call }: MessageEvent<HostCall>) => void answer(call);
    onWelcome(state as HostState);
  });
  const tell = (message: PanelMessage): void => port?.postMessage(message);
  const answer = async (call: HostCall): Promise<void> => {
    const error = await onCall(call).then(
      () => null,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : "unknown"),
    );
    tell({ kind: "answer", id: call.id, error });
  };
  // The message holds nothing, and the parent's origin is not known yet.
  if (parent !== window) parent.postMessage(hello, "*");
  return { tell };
}
