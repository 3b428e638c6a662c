import mysql from "mysql2/promise";
import { inboxViews } from "../../core/model/inbox-queue.ts";
import { weekdays } from "../../core/model/schedule.ts";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { createDataSource } from "../../db/data-source.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import { exitOnSignal } from "../../dev/child.ts";
import { percentile } from "./load.ts";
import { startBenchStack, type BenchStack } from "./stack.ts";

const help = `npm run bench:lists [-- --small | --appointments | --inbox]

Fills a database of its own with 1,000,000 contacts, 300,000 conversations and 100,000 appointments of
one resource and measures their lists through the API: the first 20 pages, a page far down, a search, a
month of the agenda. About four minutes, 1 GB below .local/ while it runs. --small is a twentieth of it;
--appointments fills and measures the appointments alone; --inbox the views of 300,000 conversations. --deliveries fills and measures the delivery
log alone, with 25,000,000 rows of the account: about half an hour and 20 GB.
`;

const batch = 50_000;
const range = "WITH RECURSIVE n AS (SELECT ? AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
const now = "TIMESTAMPADD(SECOND, -i, UTC_TIMESTAMP(3))";
const written = "TIMESTAMPADD(SECOND, -(i * 7919 % 1000003), UTC_TIMESTAMP(3))";
const statuses = ["active", "active", "waiting", "resolved", "handed_off"];
const channels = ["whatsapp", "whatsapp", "instagram", "facebook", "web"];

/** Number of rows of each kind. */
interface Size {
  contacts: number;
  conversations: number;
  appointments: number;
  deliveries: number;
}

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return void process.stdout.write(help);
  const scale = process.argv.includes("--small") ? 0.05 : 1;
  const only = ["appointments", "deliveries", "inbox"].find((list) =>
    process.argv.includes(`--${list}`),
  );
  const isInbox = only === undefined || only === "inbox";
  const rows = (count: number, isAsked: boolean) => (isAsked ? Math.round(count * scale) : 0);
  const size = {
    contacts: rows(only === "inbox" ? 300_000 : 1_000_000, isInbox),
    conversations: rows(300_000, isInbox),
    appointments: rows(100_000, only === undefined || only === "appointments"),
    deliveries: rows(25_000_000, only === "deliveries"),
  };
  const stack = await startBenchStack();
  try {
    await fill(stack, size);
    await report(stack, size, only);
  } finally {
    await stack.stop();
  }
}

async function fill(stack: BenchStack, size: Size): Promise<void> {
  const connection = await mysql.createConnection({ uri: stack.databaseUrl });
  await connection.query("SET SESSION cte_max_recursion_depth = 1000000");
  await fillInbox(connection, stack.accountId, size);
  if (size.conversations > 0) await fillFilters(connection, stack.accountId, size.conversations);
  if (size.appointments > 0) await fillAgenda(connection, stack.accountId, size.appointments);
  if (size.deliveries > 0) await fillDeliveries(connection, stack.accountId, size.deliveries);
  await connection.query(
    "ANALYZE TABLE contacts, contact_tags, contact_stages, conversations, appointments, events, deliveries, delivery_attempts",
  );
  await connection.end();
}

async function fillInbox(
  connection: mysql.Connection,
  accountId: number,
  { contacts, conversations }: Size,
): Promise<void> {
  const [rows] = await connection.query("SELECT id, channel FROM channel_accounts ORDER BY id");
  const ids = new Map(
    (rows as { id: number; channel: string }[]).map((row) => [row.channel, row.id]),
  );
  for (let from = 1; from <= contacts; from += batch) {
    await connection.query(
      `INSERT INTO contacts (account_id, name, phone, phone_key, email, source, last_activity_at, created_at, updated_at)
       ${range} SELECT ?, CONCAT(ELT(1 + i % 7, 'Ana', 'Benito', 'Carmen', 'Diego', 'Eva', 'Fidel', 'Gloria'), ' ', SHA2(i, 256)),
              CONCAT('52155', LPAD(i, 8, '0')), CONCAT('5255', LPAD(i, 8, '0')), CONCAT('customer', i, '@example.com'),
              'api', ${now}, ${now}, ${now} FROM n`,
      [from, Math.min(from + batch - 1, contacts), accountId],
    );
    progress(`${Math.min(from + batch - 1, contacts)} contacts`);
  }
  for (let from = 1; from <= conversations; from += batch) {
    await connection.query(
      `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel, status, bot_enabled,
              assigned_to_user_id, customer_waits_since, snoozed_until, sort_at, created_at, updated_at)
       ${range} SELECT ?, i, ELT(1 + i % 5, ?, ?, ?, ?, ?), ELT(1 + i % 5, ?, ?, ?, ?, ?), ELT(1 + i DIV 5 % 5, ?, ?, ?, ?, ?),
              1, IF(i % 4, NULL, 1 + i DIV 4 % 20), IF(i % 3, ${written}, NULL),
              IF(i % 10, NULL, TIMESTAMPADD(SECOND, i, UTC_TIMESTAMP(3))), ${written}, ${now}, ${now} FROM n`,
      [
        from,
        Math.min(from + batch - 1, conversations),
        accountId,
        ...channels.map((channel) => ids.get(channel)),
        ...channels,
        ...statuses,
      ],
    );
    progress(`${Math.min(from + batch - 1, conversations)} conversations`);
  }
}

/** Each third contact has a tag, one in 10,000 a rare tag, and each second contact a stage. */
async function fillFilters(
  connection: mysql.Connection,
  accountId: number,
  contacts: number,
): Promise<void> {
  await connection.query(
    "INSERT INTO pipelines (id, account_id, name, is_default) VALUES (1, ?, 'Sales', 0)",
    [accountId],
  );
  await connection.query(
    "INSERT INTO pipeline_stages (id, account_id, pipeline_id, name, position) VALUES (1, ?, 1, 'New', 0), (2, ?, 1, 'Won', 1)",
    [accountId, accountId],
  );
  await connection.query(
    `INSERT INTO contact_tags (contact_id, tag, account_id)
     SELECT id, IF(id % 10000, 'VIP', 'Rare'), account_id FROM contacts
      WHERE id <= ? AND (id % 3 = 0 OR id % 10000 = 0)`,
    [contacts],
  );
  await connection.query(
    `INSERT INTO contact_stages (account_id, contact_id, pipeline_id, stage_id, conversation_id, place, moved_at)
     SELECT account_id, contact_id, 1, 1 + id % 4 DIV 2, id, id, updated_at FROM conversations WHERE id % 2 = 0`,
  );
  const filters = ["channel,web", "tag,VIP", "tag,Rare", "stage_id,1", "assigned_to,me"];
  for (const [index, filter] of [...filters, ...filters].entries()) {
    const [member = "", value = ""] = filter.split(",");
    const set = { [member]: member === "stage_id" ? Number(value) : value };
    const view = index < filters.length ? "needs_answer" : "waiting";
    await connection.query(
      `INSERT INTO inbox_views (account_id, user_id, name, view, filter, list_order, shared)
       VALUES (?, 1, ?, ?, ?, 'queue', 1)`,
      [accountId, `${view} ${filter}`, view, JSON.stringify(set)],
    );
  }
}

/** Appointments of half an hour, around the clock. The present month is in the middle. */
async function fillAgenda(
  connection: mysql.Connection,
  accountId: number,
  appointments: number,
): Promise<void> {
  const hours = Object.fromEntries(weekdays.map((day) => [day, [{ from: "00:00", to: "24:00" }]]));
  await connection.query(
    "INSERT INTO resources (id, account_id, name, time_zone, weekly_hours) VALUES (1, ?, 'Agenda', 'UTC', ?)",
    [accountId, JSON.stringify(hours)],
  );
  const start = `TIMESTAMPADD(MINUTE, 30 * (i - ${Math.round(appointments / 2)}), '${thisMonth()}-01')`;
  const end = `TIMESTAMPADD(MINUTE, 30, ${start})`;
  await connection.query(
    `INSERT INTO appointments (account_id, resource_id, contact_id, status, title, customer_name,
            start_time, end_time, blocked_from, blocked_until)
     ${range} SELECT ?, 1, i, 'confirmed', 'Visit', CONCAT('Customer ', i), ${start}, ${end}, ${start}, ${end} FROM n`,
    [1, appointments, accountId],
  );
  progress(`${appointments} appointments`);
}

/** One event goes to 50 subscriptions. One delivery in 50 was discarded, one in 2,500 is open. */
async function fillDeliveries(
  connection: mysql.Connection,
  accountId: number,
  deliveries: number,
): Promise<void> {
  const [subscriptions, eventsAtOnce] = [50, 2_000];
  const events = Math.ceil(deliveries / subscriptions);
  // Without these settings the fill would last for hours. They stay until the server stops; the
  // measurements only read.
  await connection.query("SET GLOBAL innodb_flush_log_at_trx_commit = 0");
  await connection.query("SET GLOBAL innodb_redo_log_capacity = 4294967296");
  await connection.query(
    `INSERT INTO subscriptions (id, account_id, name, url, events, state)
     ${range} SELECT i, ?, CONCAT('Receiver ', i), 'https://receiver.example/hook', '["*"]', 'active' FROM n`,
    [1_001, 1_000 + subscriptions, accountId],
  );
  // A UUIDv7 holds the time in its first six bytes.
  const id =
    "UNHEX(CONCAT(LPAD(HEX(1767225600000 + i * 1000), 12, '0'), '70008000', LPAD(HEX(i), 12, '0')))";
  const at = "TIMESTAMPADD(SECOND, i, '2026-01-01')";
  const types = "'contact.created', 'contact.updated', 'message.received', 'message.sent'";
  const type = `ELT(1 + i % 4, ${types})`;
  const state = "IF(i % 50 > 0, 'delivered', IF(i % 2500 = 0, 'waiting', 'discarded'))";
  for (let from = 1; from <= events; from += eventsAtOnce) {
    const until = Math.min(from + eventsAtOnce - 1, events);
    await connection.query(
      `INSERT INTO events (id, account_id, type, contact_id, body, occurred_at)
       ${range} SELECT ${id}, ?, ${type}, 1 + i % 1000, REPEAT('x', 420), ${at} FROM n`,
      [from, until, accountId],
    );
    await connection.query(
      `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state, attempts_made,
                               created_at, updated_at, finished_at)
       ${range} SELECT s.account_id, ${id}, s.id, ${type}, ${state}, 1, ${at}, ${at}, ${at}
         FROM n JOIN subscriptions s ON s.id > 1000`,
      [from, until],
    );
    if (until % 10_000 === 0) progress(`${until * subscriptions} deliveries`);
  }
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

async function report(stack: BenchStack, size: Size, only: string | undefined): Promise<void> {
  const read = await createReader(stack);
  const rows = [
    ...(only === undefined ? await measureInbox(read, size) : []),
    ...(size.conversations === 0 ? [] : await measureViews(read)),
    ...(size.appointments === 0 ? [] : await measureAgenda(read)),
    ...(size.deliveries === 0 ? [] : await measureDeliveries(read, size.deliveries)),
  ];
  process.stdout.write(
    `\n${size.contacts} contacts, ${size.conversations} conversations, ${size.appointments} appointments of one resource and ${size.deliveries} deliveries in one account:\n\n| list | p50 | p99 |\n|---|---|---|\n`,
  );
  for (const [what, times] of rows) {
    const [p50, p99] = [50, 99].map((p) => `${Math.round(percentile(times, p / 100))} ms`);
    process.stdout.write(`| ${what} | ${p50} | ${p99} |\n`);
  }
}

type Row = [what: string, times: number[]];

async function measureInbox(read: Reader, { contacts, conversations }: Size): Promise<Row[]> {
  const first = (list: string, query = "") =>
    Array.from({ length: 20 }, (_, page) => `/${list}?limit=50&offset=${page * 50}${query}`);
  const inbox = async (paths: string[], rounds?: number) =>
    await measure(
      read,
      paths.map((path) => `/api/v1${path}`),
      rounds,
    );
  return [
    ["contacts, first 20 pages", await inbox(first("contacts"))],
    ["contacts, a page at nine tenths", await inbox([`/contacts?offset=${contacts * 0.9}`])],
    ["contacts, search in a name", await inbox(["/contacts?search=carmen%20ab"], 3)],
    ["contacts, search that finds nothing", await inbox(["/contacts?search=zzzz"], 3)],
    ["contacts by last activity, first page", await active(read, "")],
    ["contacts by last activity, from nine tenths on", await active(read, await farCursor(read))],
    ["contacts with a frequent tag", await active(read, "&tag=VIP")],
    ["contacts with a rare tag", await active(read, "&tag=Rare")],
    ["contacts in a stage", await active(read, "&stage_id=1")],
    ["contacts on a channel", await active(read, "&channel=web")],
    ["contacts without an assignee", await active(read, "&assigned_to=nobody")],
    ["contacts by last activity, search in a name", await active(read, "&search=carmen%20ab")],
    ["possible duplicates", await measure(read, ["/dashboard/api/contacts/duplicates"], 3)],
    ["conversations, first 20 pages", await inbox(first("conversations"))],
    [
      "conversations of a status and a channel, first 20 pages",
      await inbox(first("conversations", "&status=active&channel=whatsapp")),
    ],
    [
      `conversations that are open (${conversations * 0.8}), first 20 pages`,
      await measure(
        read,
        first("conversations", "&open=true").map((path) => `/dashboard/api${path}`),
      ),
    ],
    [
      "conversations, a page at nine tenths",
      await inbox([`/conversations?offset=${conversations * 0.9}`]),
    ],
  ];
}

/** The views of the inbox, with rows and their totals, and the counts of all views at once. */
async function measureViews(read: Reader): Promise<Row[]> {
  const list = (query: string) => `/dashboard/api/conversations?limit=50&${query}`;
  const rows: Row[] = [
    [
      "counts of all views and ten saved ones",
      await measure(read, ["/dashboard/api/conversations/counts"], 200),
    ],
  ];
  for (const view of inboxViews) {
    const pages = await followView(read, list(`view=${view}`));
    rows.push([`view ${view}, first 20 pages by key`, await measure(read, pages, 5)]);
  }
  for (const query of ["view=needs_answer&tag=Rare", "view=needs_answer&order=newest"]) {
    rows.push([`view ${query.slice(5)}`, await measure(read, [list(query)], 10)]);
  }
  return rows;
}

/** Paths of the first 20 pages of a view. */
async function followView(read: Reader, path: string): Promise<string[]> {
  const paths = [path];
  while (paths.length < 20) {
    const answer = await read(paths.at(-1) ?? path);
    const { meta } = (await answer.json()) as { meta: { next: string | null } };
    if (meta.next === null) break;
    paths.push(`${path}&cursor=${meta.next}`);
  }
  return paths;
}

async function measureAgenda(read: Reader): Promise<Row[]> {
  const day = (days: number) =>
    new Date(Date.parse(`${thisMonth()}-01T00:00:00Z`) + days * 86_400_000).toISOString();
  const agenda = (days: number, length: number, limit = "") =>
    `/dashboard/api/appointments?resource_id=1&from=${day(days)}&to=${day(days + length)}${limit}`;
  const weeks = Array.from({ length: 20 }, (_, week) => agenda(7 * (week - 10), 7, "&limit=1000"));
  return [
    ["appointments of a resource, a week, all 336 at once", await measure(read, weeks)],
    [
      "appointments of a resource, the first 100 of a month",
      await measure(read, [agenda(0, 30)], 100),
    ],
    [
      "appointments of a resource, 1,000 of a month at once",
      await measure(read, [agenda(0, 30, "&limit=1000")], 50),
    ],
  ];
}

async function measureDeliveries(read: Reader, deliveries: number): Promise<Row[]> {
  const log = async (query: string, rounds = 5) =>
    await measure(read, [`/dashboard/api/deliveries?limit=50${query}`], rounds);
  return [
    ["deliveries, the newest page", await log("")],
    ["deliveries, a page at nine tenths", await log(`&before_id=${deliveries * 0.1}`)],
    ["deliveries of a subscription", await log("&subscription_id=1007")],
    ["deliveries that were discarded", await log("&state=discarded")],
    ["deliveries that are open", await log("&state=waiting")],
    ["deliveries of a type", await log("&event_type=message.sent")],
    ["deliveries of a type that never was", await log("&event_type=appointment.cancelled")],
    ["discarded deliveries of a subscription", await log("&subscription_id=1007&state=discarded")],
    [
      "all pages of the above, one after the other",
      await walk(read, "&subscription_id=1007&state=discarded"),
    ],
  ];
}

async function active(read: Reader, query: string): Promise<number[]> {
  return await measure(read, [`/dashboard/api/contacts?order=active&limit=50${query}`], 5);
}

/** A place that nine tenths of the contacts come before: they were created one a second. */
async function farCursor(read: Reader): Promise<string> {
  const answer = await read("/dashboard/api/contacts?order=quiet&limit=1");
  const { data, meta } = (await answer.json()) as {
    data: { last_activity_at: string }[];
    meta: { total: number };
  };
  const earliest = Date.parse(data[0]?.last_activity_at ?? "");
  const at = earliest + (Date.now() - earliest) / 10;
  return `&cursor=${Math.round(at)}_${meta.total}`;
}

/** Follows the pages of a list to its end, at most 100 pages. */
async function walk(read: Reader, query: string): Promise<number[]> {
  const times: number[] = [];
  for (let before: number | null = null; times.length < 100;) {
    const started = performance.now();
    const from: string = before === null ? "" : `&before_id=${before}`;
    const answer = await read(`/dashboard/api/deliveries?limit=50${query}${from}`);
    const { meta } = (await answer.json()) as { meta: { next: number | null } };
    times.push(performance.now() - started);
    before = meta.next;
    if (before === null) break;
  }
  return times;
}

type Reader = (path: string) => Promise<Response>;

/** Reads API v1 with the key and the Dashboard's API with a login. */
async function createReader(stack: BenchStack): Promise<Reader> {
  const dataSource = await createDataSource({ url: stack.databaseUrl, poolSize: 1 }).initialize();
  const { accountId } = stack;
  const { token } = await transaction(dataSource, systemOf(accountId), async (tx) => {
    const person = { email: "bench@example.com", name: "Bench", passwordHash: "-" };
    const { userId } = await createMember(tx, { ...person, role: "agent" });
    return await createSession(tx, { userId, passwordHash: "-" }, { accountId, userAgent: null });
  });
  await dataSource.destroy();
  const headers = { authorization: `Bearer ${stack.apiKey}`, cookie: `parley_session=${token}` };
  return async (path) => await fetch(stack.apiUrl + path, { headers });
}

async function measure(read: Reader, paths: string[], rounds = 10): Promise<number[]> {
  const times: number[] = [];
  // The first round warms MySQL's pages up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const path of paths) {
      const started = performance.now();
      const answer = await read(path);
      await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      if (round > 0) times.push(performance.now() - started);
    }
  }
  return times;
}

function progress(text: string): void {
  process.stdout.write(`filled  ${text}\n`);
}

exitOnSignal();
await main();
