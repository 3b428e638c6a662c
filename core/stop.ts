import { messageOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/** Maximum duration of a stop. After that the process exits. */
const limitMs = 14_000;

/** Runs `stop` once at SIGTERM or SIGINT and then ends the process. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "process.stopping");
    setTimeout(() => process.exit(1), limitMs).unref();
    stop().then(
      () => {
        log.info("process.stopped");
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, "process.stop_failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

/** Ends a process that could not start: the reason for people on standard error. */
export function failToStart(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
