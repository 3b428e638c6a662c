import { createTestAccount, createTestSubscription, type TestAccount } from "./accounts.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import {
  processEnv,
  startApiProcess,
  startProcess,
  startWorkerProcess,
  type TestProcess,
} from "./process.ts";
import { startSink, type Sink } from "./sink.ts";
import { createNamespace } from "./worker.ts";

type Settings = Record<string, string>;

/** All that runs for one customer, in real processes, and a receiver of every event. */
export interface ProcessFixture {
  database: TestDatabase;
  account: TestAccount;
  /** Of Temporal. */
  namespace: string;
  sink: Sink;
  /** What the receiver's posts are signed with. */
  secret: string;
  startApi(settings?: Settings): Promise<TestProcess & { url: string }>;
  startWorker(settings?: Settings): Promise<TestProcess>;
  /** Starts a process without waiting for anything. */
  launch(which: "api" | "worker", settings?: Settings): TestProcess;
  /** Kills what still runs and drops the database. */
  stop: () => Promise<void>;
}

/** Servers other than the run's own ones. */
export interface GivenServers {
  mysqlUrl?: string;
  temporal?: { address: string; namespace: string };
}

/** Makes a database, a namespace and a receiver; the processes are started by the test. */
export async function createProcessFixture({
  mysqlUrl,
  temporal,
}: GivenServers = {}): Promise<ProcessFixture> {
  const [database, namespace, sink] = await Promise.all([
    createTestDatabase(mysqlUrl),
    temporal === undefined ? createNamespace() : temporal.namespace,
    startSink(),
  ]);
  const account = await createTestAccount(database.dataSource);
  const { secret } = await createTestSubscription(database.dataSource, account.accountId, {
    url: `${sink.url}/hook`,
  });
  const started: TestProcess[] = [];
  const keep = <T extends TestProcess>(one: T): T => {
    started.push(one);
    return one;
  };
  const given: Settings = temporal === undefined ? {} : { TEMPORAL_ADDRESS: temporal.address };
  return {
    database,
    account,
    namespace,
    sink,
    secret,
    startApi: async (settings) =>
      keep(await startApiProcess(database.url, { ...given, ...settings })),
    startWorker: async (settings) =>
      keep(await startWorkerProcess(database.url, namespace, { ...given, ...settings })),
    launch: (which, settings) =>
      keep(
        startProcess(
          which,
          processEnv(database.url, { TEMPORAL_NAMESPACE: namespace, ...given, ...settings }),
        ),
      ),
    async stop() {
      await Promise.all(started.map((one) => one.kill("SIGKILL")));
      await sink.stop();
      await database.stop();
    },
  };
}
