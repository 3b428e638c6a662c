import { CallError } from "./call-error.ts";

/** A task of the API: the origin of Cloudflare's script, and the key of this installation there. */
export interface TurnstileTask {
  url: string;
  site_key: string;
}

/** Cloudflare's script, as far as we use it. */
interface TurnstileScript {
  render(place: HTMLElement, options: Record<string, unknown>): string | undefined;
}

let script: Promise<TurnstileScript> | null = null;

/**
 * Gets a token from Cloudflare. Most visitors see nothing; some have to click a box.
 * @throws CallError that a later try may not meet
 */
export async function askTurnstile({ url, site_key }: TurnstileTask): Promise<string> {
  script ??= loadScript(url);
  const turnstile = await script.catch((error: unknown) => {
    script = null;
    throw error;
  });
  const place = document.createElement("div");
  place.style.cssText = "position:fixed;inset:auto 0 96px;display:flex;justify-content:center";
  document.body.append(place);
  const { lang, dataset } = document.documentElement;
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (): true => {
        reject(missing());
        return true;
      };
      turnstile.render(place, {
        sitekey: site_key,
        language: lang,
        theme: dataset["theme"] ?? "auto",
        appearance: "interaction-only",
        retry: "never",
        callback: resolve,
        "error-callback": fail,
        "timeout-callback": fail,
        "unsupported-callback": fail,
      });
    });
  } finally {
    place.remove();
  }
}

async function loadScript(url: string): Promise<TurnstileScript> {
  const element = document.createElement("script");
  element.src = `${url}/turnstile/v0/api.js?render=explicit`;
  await new Promise((resolve, reject) => {
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => {
      element.remove();
      reject(missing());
    });
    document.head.append(element);
  });
  return Reflect.get(globalThis, "turnstile") as TurnstileScript;
}

/** Counts as a call without an answer, so that the panel says so and lets the visitor try again. */
function missing(): CallError {
  return new CallError("network", 0);
}
