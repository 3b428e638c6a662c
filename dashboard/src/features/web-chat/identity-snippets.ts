/** Languages of the example programs, in the order of the tabs. */
export const identityLanguages = ["node", "python", "php", "ruby"] as const;
export type IdentityLanguage = (typeof identityLanguages)[number];

/**
 * A program that signs the identity of a logged-in visitor with the secret, by the standard library
 * alone. It prints the token. The secret comes from the environment variable
 * `PARLEY_WIDGET_SECRET`, so that no file contains it.
 * @param key of the widget, which the token names as its audience
 */
export function identitySnippetOf(language: IdentityLanguage, key: string): string {
  return snippets[language](key);
}

const snippets: Record<IdentityLanguage, (key: string) => string> = {
  node: (key) => `import { createHmac } from "node:crypto";

const secret = process.env.PARLEY_WIDGET_SECRET;

// user: the visitor who is logged in on your site.
export function parleyIdentity(user) {
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = [
    encode({ alg: "HS256", typ: "JWT" }),
    encode({
      sub: String(user.id),
      name: user.name,
      email: user.email,
      aud: "${key}",
      exp: Math.floor(Date.now() / 1000) + 3600,
    }),
  ].join(".");
  return \`\${signed}.\${createHmac("sha256", secret).update(signed).digest("base64url")}\`;
}

console.log(parleyIdentity({ id: 4711, name: "Ana Ruiz", email: "ana@example.com" }));
`,
  python: (key) => `import base64
import hashlib
import hmac
import json
import os
import time

secret = os.environ["PARLEY_WIDGET_SECRET"]


def encode(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


# user: the visitor who is logged in on your site.
def parley_identity(user: dict) -> str:
    header = {"alg": "HS256", "typ": "JWT"}
    claims = {
        "sub": str(user["id"]),
        "name": user["name"],
        "email": user["email"],
        "aud": "${key}",
        "exp": int(time.time()) + 3600,
    }
    signed = ".".join(encode(json.dumps(part).encode()) for part in (header, claims))
    digest = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{encode(digest)}"


print(parley_identity({"id": 4711, "name": "Ana Ruiz", "email": "ana@example.com"}))
`,
  php: (key) => `<?php
$secret = getenv('PARLEY_WIDGET_SECRET');

// $user: the visitor who is logged in on your site.
function parley_identity(array $user, string $secret): string {
    $encode = fn (string $part) => rtrim(strtr(base64_encode($part), '+/', '-_'), '=');
    $signed = $encode(json_encode(['alg' => 'HS256', 'typ' => 'JWT'])) . '.' . $encode(json_encode([
        'sub' => (string) $user['id'],
        'name' => $user['name'],
        'email' => $user['email'],
        'aud' => '${key}',
        'exp' => time() + 3600,
    ]));
    return $signed . '.' . $encode(hash_hmac('sha256', $signed, $secret, true));
}

echo parley_identity(['id' => 4711, 'name' => 'Ana Ruiz', 'email' => 'ana@example.com'], $secret), "\\n";
`,
  ruby: (key) => `require "base64"
require "json"
require "openssl"

SECRET = ENV.fetch("PARLEY_WIDGET_SECRET")

# user: the visitor who is logged in on your site.
def parley_identity(user)
  encode = ->(part) { Base64.urlsafe_encode64(part, padding: false) }
  claims = {
    sub: user[:id].to_s,
    name: user[:name],
    email: user[:email],
    aud: "${key}",
    exp: Time.now.to_i + 3600
  }
  signed = [{ alg: "HS256", typ: "JWT" }, claims].map { |part| encode.(JSON.generate(part)) }.join(".")
  "#{signed}.#{encode.(OpenSSL::HMAC.digest("SHA256", SECRET, signed))}"
end

puts parley_identity({ id: 4711, name: "Ana Ruiz", email: "ana@example.com" })
`,
};
