/** A call for example code. */
export interface SnippetCall {
  url: string;
  /** True where the endpoint accepts only signatures of Standard Webhooks. */
  strict: boolean;
  /** The body as JSON. */
  body: string;
}

/** Languages of the example code, in the order of the tabs. */
export const snippetLanguages = ["curl", "node", "python", "php"] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

/**
 * A whole program that signs a body and sends it. The secret comes from the environment variable
 * `PARLEY_SECRET`, so that no file contains it.
 */
export function snippetOf(language: SnippetLanguage, call: SnippetCall): string {
  return snippets[language](call);
}

/** A text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const snippets: Record<SnippetLanguage, (call: SnippetCall) => string> = {
  curl: (call) => (call.strict ? strictCurl(call) : plainCurl(call)),
  node: ({ url, strict, body }) => `// Node 20 or newer. The secret is in the environment.
import { createHmac } from 'node:crypto';

const secret = process.env.PARLEY_SECRET;
const eventId = "crm-4711"; // your own id of this event
const body = ${literal(body)};
${strict ? strictNode : plainNode}
const response = await fetch(${literal(url)}, {
  method: "POST",
  headers: { "Content-Type": "application/json", ...signature },
  body,
});
console.log(response.status, await response.text());
`,
  python: ({ url, strict, body }) => `# The secret is in the environment.
import hashlib
import hmac
import os
import urllib.error
import urllib.request
${strict ? "import base64\nimport time\n" : ""}
secret = os.environ["PARLEY_SECRET"]
event_id = "crm-4711"  # your own id of this event
body = ${literal(body)}.encode()
${strict ? strictPython : plainPython}
headers = {"Content-Type": "application/json", **signature}
request = urllib.request.Request(${literal(url)}, body, headers, method="POST")
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as refusal:
    response = refusal
print(response.status, response.read().decode())
`,
  php: ({ url, strict, body }) => `<?php
// The secret is in the environment.
$secret = getenv('PARLEY_SECRET');
$eventId = 'crm-4711'; // your own id of this event
$body = ${literal(body)};
${strict ? strictPhp : plainPhp}
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Content-Type: application/json', ...$signature],
    'content' => $body,
    'ignore_errors' => true,
]]);
$answer = file_get_contents(${literal(url)}, false, $context);
echo $http_response_header[0], "\\n", $answer, "\\n";
`,
};

function plainCurl({ url, body }: SnippetCall): string {
  return `# The secret is in the environment; event_id is your own id of this event.
secret="\${PARLEY_SECRET:?Set it to the secret of the endpoint.}"
event_id="crm-4711"
body=${shellQuote(body)}
digest=$(printf %s "$body" | openssl dgst -sha256 -hmac "$secret" -r | cut -d " " -f 1)
curl -sS ${shellQuote(url)} --data-binary "$body" \\
  -H "Content-Type: application/json" \\
  -H "X-Service-Signature: sha256=$digest" \\
  -H "X-Service-Event-Id: $event_id"
`;
}

function strictCurl({ url, body }: SnippetCall): string {
  return `# The secret is in the environment; event_id is your own id of this event.
secret="\${PARLEY_SECRET:?Set it to the secret of the endpoint.}"
event_id="crm-4711"
body=${shellQuote(body)}
timestamp=$(date +%s)
key=$(printf %s "\${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
signature=$(printf %s "$event_id.$timestamp.$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
curl -sS ${shellQuote(url)} --data-binary "$body" \\
  -H "Content-Type: application/json" \\
  -H "webhook-id: $event_id" \\
  -H "webhook-timestamp: $timestamp" \\
  -H "webhook-signature: v1,$signature"
`;
}

const plainNode = `const digest = createHmac("sha256", secret).update(body).digest("hex");
const signature = {
  "X-Service-Signature": \`sha256=\${digest}\`,
  "X-Service-Event-Id": eventId,
};`;

const strictNode = `const timestamp = String(Math.floor(Date.now() / 1000));
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
const digest = createHmac("sha256", key).update(\`\${eventId}.\${timestamp}.\${body}\`).digest("base64");
const signature = {
  "webhook-id": eventId,
  "webhook-timestamp": timestamp,
  "webhook-signature": \`v1,\${digest}\`,
};`;

const plainPython = `digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
signature = {
    "X-Service-Signature": f"sha256={digest}",
    "X-Service-Event-Id": event_id,
}`;

const strictPython = `timestamp = str(int(time.time()))
key = base64.b64decode(secret.removeprefix("whsec_"))
signed = f"{event_id}.{timestamp}.".encode() + body
digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
signature = {
    "webhook-id": event_id,
    "webhook-timestamp": timestamp,
    "webhook-signature": f"v1,{digest}",
}`;

const plainPhp = `$signature = [
    'X-Service-Signature: sha256=' . hash_hmac('sha256', $body, $secret),
    'X-Service-Event-Id: ' . $eventId,
];`;

const strictPhp = `$timestamp = (string) time();
$key = base64_decode(preg_replace('/^whsec_/', '', $secret));
$digest = base64_encode(hash_hmac('sha256', "$eventId.$timestamp.$body", $key, true));
$signature = [
    'webhook-id: ' . $eventId,
    'webhook-timestamp: ' . $timestamp,
    'webhook-signature: v1,' . $digest,
];`;

/**
 * A literal in single quotes, which has the same form in JavaScript, Python and PHP. JSON and URLs
 * have no line breaks, so only backslashes and quotes need an escape.
 */
function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
