import { measureBacklog } from "./backlog.ts";
import { measureFanOut } from "./fan-out.ts";
import { measureHungHosts } from "./hung-hosts.ts";
import { measurePurge } from "./purge.ts";
import { measureTwoWorkers } from "./two-workers.ts";

/** What a case may be told. */
export interface BenchOptions {
  /** 1, or a tenth of it to see that it runs. */
  scale: number;
  /** How many events, where a case lets them be chosen. */
  events: number | null;
}

/** One question put to a machine. */
interface BenchCase {
  asks: string;
  /** Measures on fresh data and prints a table. */
  run: (options: BenchOptions) => Promise<void>;
}

/** Every case besides the one that runs without a name. */
export const cases: Record<string, BenchCase> = {
  "hung-hosts": {
    asks: "do 20 receivers that hang delay one that does not?",
    run: measureHungHosts,
  },
  "fan-out": { asks: "does a delivery of five cost more than one alone?", run: measureFanOut },
  "two-workers": {
    asks: "do two worker processes stand in each other's way?",
    run: measureTwoWorkers,
  },
  backlog: {
    asks: "does a receiver that was down get all it missed, once? (--events)",
    run: measureBacklog,
  },
  purge: {
    asks: "does deleting 1,000,000 old deliveries delay new ones? (--events)",
    run: measurePurge,
  },
};
