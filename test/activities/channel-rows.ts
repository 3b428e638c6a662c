const owner = { account_id: 1, channel_app_id: 1 };

/** A secret of a Meta app that is valid until then. */
export function channelSecretRow(at: Date) {
  return { ...owner, kind: "app", sealed: "v2.k.n.t.c", key_id: "k", valid_until: at };
}

/** A webhook of Meta that is to be deleted then. */
export function channelWebhookRow(at: Date) {
  return { ...owner, body: "{}", state: "done", purge_at: at };
}

/** An item of a webhook that is to be deleted then. */
export function channelItemRow(at: Date, hash: Buffer) {
  const place = { webhook_id: 1, network: "whatsapp", external_id: "1" };
  return { ...owner, ...place, kind: "message", key_hash: hash, state: "done", purge_at: at };
}

/** A template that Meta no longer lists. */
export function channelTemplateRow(goneAt: Date, name: string): Record<string, unknown> {
  const lists = { account_id: 1, waba_id: "900", name, language: "es" };
  const facts = { category: "utility", status: "approved", format: "positional" };
  return { ...lists, ...facts, components: "[]", words: "", gone_at: goneAt };
}
