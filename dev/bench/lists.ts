import mysql from "mysql2/promise";
import { percentile } from "./load.ts";
import { startBenchStack, type BenchStack } from "./stack.ts";

const help = `npm run bench:lists [-- --small]

Fills a database of its own with 1,000,000 contacts and 300,000 conversations and measures their lists
through the API: the first 20 pages, a page far down, a search. About four minutes, 1 GB below .local/
while it runs. --small is a twentieth of it.
`;

const batch = 50_000;
const statuses = ["active", "active", "waiting", "resolved", "handed_off"];
const channels = ["whatsapp", "whatsapp", "instagram", "facebook", "web"];

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return void process.stdout.write(help);
  const scale = process.argv.includes("--small") ? 0.05 : 1;
  const contacts = Math.round(1_000_000 * scale);
  const conversations = Math.round(300_000 * scale);
  const stack = await startBenchStack();
  try {
    await fill(stack, contacts, conversations);
    await report(stack, contacts, conversations);
  } finally {
    await stack.stop();
  }
}

async function fill(stack: BenchStack, contacts: number, conversations: number): Promise<void> {
  const connection = await mysql.createConnection({ uri: stack.databaseUrl });
  await connection.query("SET SESSION cte_max_recursion_depth = 1000000");
  const [rows] = await connection.query("SELECT id, channel FROM channel_accounts ORDER BY id");
  const ids = new Map(
    (rows as { id: number; channel: string }[]).map((row) => [row.channel, row.id]),
  );
  const range = "WITH RECURSIVE n AS (SELECT ? AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
  const now = "TIMESTAMPADD(SECOND, -i, UTC_TIMESTAMP(3))";
  for (let from = 1; from <= contacts; from += batch) {
    await connection.query(
      `INSERT INTO contacts (account_id, name, phone, phone_key, email, source, created_at, updated_at)
       ${range} SELECT ?, CONCAT(ELT(1 + i % 7, 'Ana', 'Benito', 'Carmen', 'Diego', 'Eva', 'Fidel', 'Gloria'), ' ', SHA2(i, 256)),
              CONCAT('52155', LPAD(i, 8, '0')), CONCAT('5255', LPAD(i, 8, '0')), CONCAT('customer', i, '@example.com'),
              'api', ${now}, ${now} FROM n`,
      [from, Math.min(from + batch - 1, contacts), stack.accountId],
    );
    progress(`${Math.min(from + batch - 1, contacts)} contacts`);
  }
  for (let from = 1; from <= conversations; from += batch) {
    await connection.query(
      `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel, status, bot_enabled, sort_at, created_at, updated_at)
       ${range} SELECT ?, i, ELT(1 + i % 5, ?, ?, ?, ?, ?), ELT(1 + i % 5, ?, ?, ?, ?, ?), ELT(1 + i DIV 5 % 5, ?, ?, ?, ?, ?),
              1, TIMESTAMPADD(SECOND, -(i * 7919 % 1000003), UTC_TIMESTAMP(3)), ${now}, ${now} FROM n`,
      [
        from,
        Math.min(from + batch - 1, conversations),
        stack.accountId,
        ...channels.map((channel) => ids.get(channel)),
        ...channels,
        ...statuses,
      ],
    );
    progress(`${Math.min(from + batch - 1, conversations)} conversations`);
  }
  await connection.query("ANALYZE TABLE contacts, conversations");
  await connection.end();
}

async function report(stack: BenchStack, contacts: number, conversations: number): Promise<void> {
  const first = (list: string, query = "") =>
    Array.from({ length: 20 }, (_, page) => `/${list}?limit=50&offset=${page * 50}${query}`);
  const rows: [string, number[]][] = [
    ["contacts, first 20 pages", await measure(stack, first("contacts"))],
    [
      "contacts, a page at nine tenths",
      await measure(stack, [`/contacts?offset=${contacts * 0.9}`]),
    ],
    ["contacts, search in a name", await measure(stack, ["/contacts?search=carmen%20ab"], 3)],
    ["contacts, search that finds nothing", await measure(stack, ["/contacts?search=zzzz"], 3)],
    ["conversations, first 20 pages", await measure(stack, first("conversations"))],
    [
      "conversations of a status and a channel, first 20 pages",
      await measure(stack, first("conversations", "&status=active&channel=whatsapp")),
    ],
    [
      "conversations, a page at nine tenths",
      await measure(stack, [`/conversations?offset=${conversations * 0.9}`]),
    ],
  ];
  process.stdout.write(
    `\n${contacts} contacts and ${conversations} conversations in one account:\n\n| list | p50 | p99 |\n|---|---|---|\n`,
  );
  for (const [what, times] of rows) {
    const [p50, p99] = [50, 99].map((p) => `${Math.round(percentile(times, p / 100))} ms`);
    process.stdout.write(`| ${what} | ${p50} | ${p99} |\n`);
  }
}

async function measure(stack: BenchStack, paths: string[], rounds = 10): Promise<number[]> {
  const times: number[] = [];
  // The first round warms MySQL's pages up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const path of paths) {
      const started = performance.now();
      const answer = await fetch(`${stack.apiUrl}/api/v1${path}`, {
        headers: { authorization: `Bearer ${stack.apiKey}` },
      });
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

await main();
