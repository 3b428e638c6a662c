import { pino, type DestinationStream, type Logger } from "pino";

export type { Logger };

/**
 * Makes the log of one process: JSON lines on standard output, named like events (`http.answered`,
 * `delivery.attempted`). Callers log chosen fields only: ids, counts, codes and `_ms`. Errors are
 * written with name, code and stack, but without the message. Messages of drivers and of HTTP carry
 * the values at fault.
 */
export function createLog(process: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { process },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: presentError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** The parts of an error that a log may hold: its origin, never its content. */
export function presentError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = "code" in error ? String(error.code) : undefined;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    code,
    at: frames.slice(0, 8).map((line) => line.trim()),
    cause: error.cause === undefined ? undefined : presentError(error.cause),
  };
}
