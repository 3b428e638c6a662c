import {
  hello,
  welcome,
  type HostCall,
  type HostCommands,
  type HostState,
  type PanelMessage,
} from "../shared/protocol.ts";
import { make } from "./dom.ts";

/** The panel's frame, and calls to it. */
export interface PanelFrame {
  element: HTMLIFrameElement;
  /**
   * Sends a command once the panel listens.
   * @returns a promise that settles with the panel's answer
   * @throws Error whose message is a code, where the panel refuses
   */
  call<Name extends keyof HostCommands>(command: Name, value: HostCommands[Name]): Promise<void>;
  remove(): void;
}

interface FrameOptions {
  url: string;
  origin: string;
  title: string;
  readState: () => HostState;
  onMessage: (message: Exclude<PanelMessage, { kind: "answer" }>) => void;
}

/** Time in ms after which a command without an answer fails. */
const answerTimeoutMs = 30_000;

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Makes the frame. It says hello from our origin, and gets a port in answer. Later messages travel
 * over the port alone, which no script of the site can reach.
 */
export function makeFrame(options: FrameOptions): PanelFrame {
  const { url, origin, title, readState, onMessage } = options;
  const element = make("iframe", { src: url, title, class: "frame", allow: "clipboard-write" });
  const waiting = new Map<number, Waiting>();
  let port: MessagePort | null = null;
  let queue: HostCall[] = [];
  let lastId = 0;

  const receive = ({ data }: MessageEvent<PanelMessage>): void => {
    if (data.kind !== "answer") return onMessage(data);
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === null) one?.resolve();
    else one?.reject(new Error(data.error));
  };
  const send = (call: HostCall): void => {
    port?.postMessage(call);
    // A frame that has the focus while it loads may never get a key in Chromium.
    if (call.command === "open") element.focus();
  };
  const onHello = (event: MessageEvent): void => {
    if (event.data !== hello || event.origin !== origin) return;
    if (event.source !== element.contentWindow || event.source === null) return;
    // A frame that was loaded anew says hello again.
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = receive;
    const message = { kind: welcome, state: readState() };
    element.contentWindow?.postMessage(message, origin, [channel.port2]);
    queue.forEach(send);
    queue = [];
  };
  addEventListener("message", onHello);

  return {
    element,
    call: async (command, value) =>
      await new Promise((resolve, reject) => {
        const call = { id: (lastId += 1), command, value };
        waiting.set(call.id, { resolve, reject });
        setTimeout(() => {
          waiting.delete(call.id);
          reject(new Error("timeout"));
        }, answerTimeoutMs);
        if (port === null) queue.push(call);
        else send(call);
      }),
    remove() {
      removeEventListener("message", onHello);
      port?.close();
      element.remove();
    },
  };
}
