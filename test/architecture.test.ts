import { expect, test } from "vitest";
import { importsOf, listSources, readSource, type Import } from "./support/imports.ts";

/** Who may import what: the first room whose pattern fits a file holds for it. */
interface Room {
  name: string;
  files: RegExp;
  allowed: RegExp;
  /** Beyond `allowed`, but only with `import type`. */
  asTypes?: RegExp;
}

const rooms: Room[] = [
  {
    name: "what workflows may run imports nothing",
    files: /^core\/model\/workflow\//,
    allowed: /^$/,
  },
  {
    name: "core/model is pure: zod, luxon and its own files",
    files: /^core\/model\//,
    allowed: /^((zod|luxon)$|core\/model\/)/,
  },
  {
    name: "core/agent is pure: the model, a search index, stemmers, and parsers of HTML and CSV",
    files: /^core\/agent\//,
    allowed:
      /^((zod|luxon|minisearch|htmlparser2|csv-parse\/sync)$|@orama\/stemmers|core\/(model|agent)\/)/,
  },
  {
    name: "core/imports reads files: it alone knows the libraries of their formats",
    files: /^core\/imports\//,
    allowed:
      /^(core\/(model|imports)\/|core\/media\/media-type\.ts$|node:|(zod|luxon|csv-parse(\/sync)?|htmlparser2|hucre\/xlsx|csv-stringify(\/sync)?|iconv-lite|libphonenumber-js\/min|whatsapp-chat-parser|yauzl)$)/,
  },
  {
    name: "core/services is SQL in a transaction it is given",
    files: /^core\/services\//,
    allowed:
      /^(core\/(model|services|agent|channels|calendars|imports)\/|core\/(errors|secrets|signature)\.ts$|db\/entities\/|typeorm$|uuid$|node:(crypto|util|timers\/promises)$)/,
    asTypes: /^db\/transaction\.ts$/,
  },
  {
    name: "core/channels is pure: it maps what networks send",
    files: /^core\/channels\//,
    allowed: /^((zod|node:crypto)$|core\/(model|channels)\/)/,
  },
  {
    name: "core/calendars is pure: it maps what calendars send, and writes calendar files",
    files: /^core\/calendars\//,
    allowed: /^((zod|luxon|ical-generator|node:crypto)$|core\/(model|calendars)\/)/,
  },
  {
    name: "core/media alone knows the storage of files and their types",
    files: /^core\/media\//,
    allowed: /^(core\/(media\/|secrets\.ts$)|node:|@aws-sdk\/client-s3$|file-type$)/,
  },
  {
    name: "core is Node and a few small libraries",
    files: /^core\//,
    allowed:
      /^(core\/(?!services)|node:|zod$|pino$|prom-client$|ipaddr\.js$|jose$|altcha-lib\/v1$|@node-rs\/argon2$)/,
  },
  {
    name: "db is TypeORM; it knows the model's types and the core's errors",
    files: /^db\//,
    allowed: /^(db\/|typeorm$|mysql2$|reflect-metadata$|node:|core\/(errors|config|secrets)\.ts$)/,
    asTypes: /^core\/(model|agent)\//,
  },
  {
    name: "workflows are Temporal's sandbox and what imports nothing",
    files: /^workflows\//,
    allowed: /^(workflows\/|@temporalio\/(workflow|common)$|core\/model\/workflow\/)/,
    asTypes: /^(activities\/index\.ts|core\/model\/)/,
  },
  {
    name: "activities/models alone knows the libraries of model providers",
    files: /^activities\/models\//,
    allowed: /^(activities\/(models|http)\/|core\/(?!config|services)|ai$|@ai-sdk\/|node:)/,
  },
  {
    name: "activities/media alone knows the library of pictures",
    files: /^activities\/media\//,
    allowed: /^(activities\/(media|http)\/|core\/(media|target-guard)|sharp$|node:)/,
    asTypes: /^core\/(model|services\/media)\//,
  },
  {
    name: "activities do I/O: core and db, and know of Temporal their own context",
    files: /^activities\//,
    allowed:
      /^(activities\/|core\/(?!config)|db\/transaction\.ts$|@temporalio\/activity$|undici$|oauth4webapi$|nodemailer$|prom-client$|zod$|node:)/,
    asTypes: /^(typeorm$|db\/entities\/)/,
  },
  {
    name: "the API never meets Temporal",
    files: /^api\//,
    allowed:
      /^(api\/|core\/|activities\/(provider-models|channels\/(graph|check-channel|setup-calls)|calendars\/(google-account|calendly(-calls|-oauth|-setup|-tokens)?))\.ts$|db\/(transaction|entities\/.*|open-installation)(\.ts)?$|koa|@koa\/router$|zod(-openapi)?$|prom-client$|node:)/,
    asTypes: /^typeorm$/,
  },
  {
    name: "the worker joins core, db, activities and Temporal",
    files: /^worker\//,
    allowed:
      /^(worker\/|core\/|db\/|activities\/|@temporalio\/(client|common(\/lib\/time\.js)?|envconfig|worker)$|node:)/,
    asTypes: /^typeorm$/,
  },
  {
    name: "the command line joins core and db, and starts the processes",
    files: /^cli\//,
    allowed: /^(cli\/|core\/|db\/|(api|worker)\/main\.ts$|zod$|node:)/,
  },
  {
    name: "a feature of the Dashboard knows no other one",
    files: /^dashboard\/src\/features\//,
    allowed:
      /^(dashboard\/src\/(lib|components|paths|features\/)|core\/model\/(?!routes\/|views\/)|docs\/|react|@mantine\/|@tanstack\/|@tabler\/|frimousse$|emojibase-data\/)/,
    asTypes: /^(zod$|core\/model\/(routes|views)\/)/,
  },
  {
    name: "the Dashboard runs in a browser and knows core/model",
    files: /^dashboard\/src\//,
    allowed:
      /^(dashboard\/src\/|core\/model\/(?!routes\/|views\/)|react|@mantine\/|@tanstack\/|@tabler\/|@fontsource-variable\/|i18next$|dayjs\/|frimousse$|emojibase-data\/)/,
    asTypes: /^(zod$|core\/model\/(routes|views)\/)/,
  },
  {
    name: "the widget runs on sites of others: Preact and a few pure files of the model",
    files: /^widget\//,
    allowed: /^(widget\/|preact(\/hooks)?$|core\/model\/(accent|site-origin|widget-files)\.ts$)/,
    asTypes: /^(zod$|core\/model\/)/,
  },
];

const nobodyImports = /^(dev|tools|test|api|worker|cli)\//;
const isStart = ({ file, target }: Import): boolean =>
  file === "cli/processes.ts" && /^(api|worker)\/main\.ts$/.test(target);

const files = [
  ...["core", "db", "workflows", "activities", "api", "worker", "cli"].flatMap(listSources),
  ...["dashboard/src", "widget/loader", "widget/panel", "widget/shared"].flatMap(listSources),
];

function isAllowed(room: Room, one: Import): boolean {
  if (room.allowed.test(one.target)) return true;
  return one.typeOnly && room.asTypes !== undefined && room.asTypes.test(one.target);
}

test.each(rooms)("$name", (room) => {
  const mine = files.filter((file) => rooms.find(({ files: fits }) => fits.test(file)) === room);
  expect(mine).not.toHaveLength(0);
  const strays = mine.flatMap(importsOf).filter((one) => !isAllowed(room, one));
  expect(strays).toEqual([]);
});

test("no feature of the Dashboard imports another", () => {
  const featureOf = (path: string) => /^dashboard\/src\/features\/([^/]+)\//.exec(path)?.[1];
  const imports = files.filter((file) => featureOf(file) !== undefined).flatMap(importsOf);
  const strays = imports.filter(({ file, target }) => {
    const feature = featureOf(target);
    return feature !== undefined && feature !== featureOf(file);
  });
  expect(strays).toEqual([]);
});

test("nobody imports dev, tools, test, or another process", () => {
  const strays = files
    .flatMap(importsOf)
    .filter((one) => !isStart(one))
    .filter(
      ({ file, target }) =>
        nobodyImports.test(target) && file.split("/")[0] !== target.split("/")[0],
    );
  expect(strays).toEqual([]);
});

/** Folders of core/services. A folder may import the folders before it. */
const serviceFolders = [
  "idempotency",
  "outbox",
  "media",
  "accounts",
  "contacts",
  "notifications",
  "subscriptions",
  "deliveries",
  "templates",
  "conversation-records",
  "pipelines",
  "conversations",
  "mails",
  "channels",
  "answers",
  "calendars",
  "appointments",
  "booking",
  "calendar-intake",
  "agent",
  "inbound",
  "widgets",
  "imports",
  "read-models",
  "exports",
  "contact-lifecycle",
  "operations",
];

test("a folder of services imports only folders before it", () => {
  const folderOf = (path: string) => /^core\/services\/([^/]+)\//.exec(path)?.[1];
  const services = files.filter((file) => file.startsWith("core/services/"));
  const folders = services.map(folderOf).filter((folder) => folder !== undefined);
  expect([...new Set(folders)].toSorted()).toEqual(serviceFolders.toSorted());
  const strays = services.flatMap(importsOf).filter(({ file, target }) => {
    const [from, to] = [folderOf(file), folderOf(target)];
    if (to === undefined) return false;
    return from === undefined || serviceFolders.indexOf(to) > serviceFolders.indexOf(from);
  });
  expect(strays).toEqual([]);
});

test("one file alone changes the state of deliveries", () => {
  const changes =
    /\bUPDATE\s+deliveries\b|\bJOIN\s+deliveries\b[^`;]*\sSET\s|\.(update|save|upsert)\(\s*Delivery\b/;
  const owners = files
    .filter((file) => !file.startsWith("db/migrations/"))
    .filter((file) => changes.test(readSource(file)));
  expect(owners).toEqual(["core/services/deliveries/delivery-state.ts"]);
});

test("every file belongs to a room, so that a new folder states its rules", () => {
  expect(files.filter((file) => !rooms.some((room) => room.files.test(file)))).toEqual([]);
});

test("no files import each other in a circle, types included", () => {
  expect(findCycle(new Map(files.map((file) => [file, importsOf(file)])))).toBe(null);
  const made = new Map([
    ["a.ts", [{ file: "a.ts", target: "b.ts", typeOnly: false }]],
    ["b.ts", [{ file: "b.ts", target: "a.ts", typeOnly: true }]],
  ]);
  expect(findCycle(made)).toEqual(["a.ts", "b.ts", "a.ts"]);
});

/** The files of a circle in the order of their imports, or null. */
function findCycle(graph: ReadonlyMap<string, Import[]>): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { target } of graph.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
