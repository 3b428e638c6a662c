import type { Server } from "node:http";
import { messageOf } from "./errors.ts";

/** An address, and the setting that holds its port. */
interface PortToOpen {
  host: string;
  port: number;
  setting: "PORT" | "METRICS_PORT";
}

/**
 * Opens the port of a server.
 * @throws Error naming the setting where the port cannot be opened.
 */
export async function openPort(server: Server, { host, port, setting }: PortToOpen): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    const advice = isTaken ? " Another process has the port: give each process its own." : "";
    throw new Error(`${setting} cannot be opened: ${messageOf(error)}.${advice}`, { cause: error });
  }
}
