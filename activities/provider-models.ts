import type { SecretBox } from "../core/secrets.ts";
import { openProviderKey } from "../core/services/agent/providers.ts";
import type { ActivityDeps } from "./deps.ts";
import type { GuardedOptions } from "./http/guarded-request.ts";
import { createModelFetch } from "./models/guarded-fetch.ts";
import { createModelPort } from "./models/port.ts";

/** Connects to the models of providers. A key is opened for each step, and kept nowhere. */
export function createModels(
  secretBox: SecretBox,
  options: GuardedOptions,
): ActivityDeps["models"] {
  const fetch = createModelFetch(options);
  return (provider) => {
    const { kind, baseUrl, model } = provider;
    const apiKey = openProviderKey(secretBox, provider);
    return createModelPort({ kind, baseUrl, model, apiKey }, { fetch });
  };
}
