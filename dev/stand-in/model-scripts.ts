import { setTimeout } from "node:timers/promises";

/** One request to a model, the same for every wire format. */
export interface ModelAsk {
  model: string;
  system: string;
  /** The last text with the role of a user. */
  user: string;
  /** Results of tools, the oldest first. */
  results: string[];
}

/** A call of a tool as the wire carries it. */
export interface ScriptedCall {
  name: string;
  /** Text that should be JSON. */
  args: string;
}

/** The answer of a model. */
export interface ModelAnswer {
  text: string;
  calls?: ScriptedCall[];
  finish?: "length" | "refused";
}

/** An answer of the server itself, instead of a model's. */
export interface RawAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** `hang`: no answer. `drip`: a blank each 100 ms, for ever. */
export type Scripted = ModelAnswer | RawAnswer | "hang" | "drip";

/** Behaviour of a model. */
export type Script = (ask: ModelAsk) => Scripted | Promise<Scripted>;

const json = { "content-type": "application/json" };
const failure = (status: number, code: string, headers = {}): RawAnswer => ({
  status,
  headers: { ...json, ...headers },
  // A provider's errors repeat parts of the request, so these do too.
  body: JSON.stringify({
    error: { message: `${code} for key sk-of-the-provider`, type: code, code },
  }),
});
const call = (name: string, input: object = {}): ScriptedCall => ({
  name,
  args: JSON.stringify(input),
});
const handOff = call("hand_off", {
  reason: "The customer wants a person.",
  message: "Un momento.",
});

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The newest text of the customer in Parley's prompt, or the whole text. */
function lastOfCustomer(user: string): string {
  return unescape([...user.matchAll(/<customer>([^<]*)<\/customer>/gu)].at(-1)?.[1] ?? user);
}

function fieldOf(result: string | undefined, field: string): string {
  return new RegExp(`"${field}":"([^"]*)"`, "u").exec(unescape(result ?? ""))?.[1] ?? "";
}

/** Behaviours by the name of the model. */
export const scripts: Record<string, Script> = {
  echo: ({ user }) => ({ text: lastOfCustomer(user) }),
  answer: ({ user }) => {
    const [, id, answer] = /<knowledge>\[(k\d+)\][^\n]*\n([^<]*)<\/knowledge>/u.exec(user) ?? [];
    return { text: answer === undefined ? "No lo sé." : `${unescape(answer)} [${id}]` };
  },
  book: ({ results }) => {
    if (results.length === 0) return { text: "", calls: [call("find_slots")] };
    const slot_ref = fieldOf(results.at(-1), "ref");
    if (results.length === 1 && slot_ref !== "")
      return { text: "", calls: [call("book_appointment", { slot_ref })] };
    const words = fieldOf(results.at(-1), "words");
    return { text: words === "" ? "No hay horarios libres." : `Tu cita quedó agendada: ${words}.` };
  },
  "hand-off": () => ({ text: "", calls: [handOff] }),
  slow: async () => {
    await setTimeout(3_000);
    return { text: "Perdón por la espera." };
  },
  hang: () => "hang",
  drip: () => "drip",
  "429": () => failure(429, "rate_limit_exceeded", { "retry-after": "2" }),
  quota: () => failure(429, "insufficient_quota"),
  "500": () => failure(500, "server_error"),
  "401": () => failure(401, "invalid_api_key"),
  "404": () => failure(404, "model_not_found"),
  redirect: () => ({ status: 307, headers: { location: "/v1/elsewhere" }, body: "" }),
  html: () => ({
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<html><body>Welcome to this network</body></html>",
  }),
  "bad-json": () => ({ status: 200, headers: json, body: '{"choices":[{"message":{"content":"H' }),
  huge: () => ({ status: 200, headers: json, body: `"${"x".repeat(3 * 1_024 * 1_024)}"` }),
  "wrong-call": ({ results }) =>
    results.length > 0
      ? { text: "¿Qué día te queda bien?" }
      : { text: "", calls: [call("book_appointment", { day: "tomorrow" })] },
  "malformed-call": ({ results }) =>
    results.length > 0
      ? { text: "¿Qué día te queda bien?" }
      : { text: "", calls: [{ name: "book_appointment", args: '{"day":"2026-1' }] },
  "unknown-call": ({ results }) =>
    results.length > 0
      ? { text: "No puedo mandar correos." }
      : { text: "", calls: [call("send_email", { to: "a@example.com" })] },
  "same-call": () => ({ text: "", calls: [call("list_appointments")] }),
  "text-with-hand-off": () => ({ text: "Te paso con una persona.", calls: [handOff] }),
  "calls-after-hand-off": () => ({
    text: "",
    calls: [handOff, call("cancel_appointment", { appointment_id: 1 })],
  }),
  empty: () => ({ text: "" }),
  cut: () => ({ text: "Nuestro horario es de lunes a", finish: "length" }),
  refused: () => ({ text: "", finish: "refused" }),
  "false-claim": () => ({ text: "Listo, ya agendé tu cita." }),
  "invented-price": () => ({ text: "La consulta cuesta $1,234." }),
  "canary-echo": ({ system }) => ({ text: system }),
  thoughts: () => ({ text: "<think>The customer says hello.</think>\n\n¡Hola!" }),
};
