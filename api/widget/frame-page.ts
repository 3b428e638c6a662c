import type { FrameConfig } from "../../core/model/widget-files.ts";
import { html, toText } from "../booking/html.ts";
import type { WidgetLocale } from "../../core/model/widget.ts";
import type { WidgetFiles } from "../widget-files.ts";

/**
 * The page of the panel. Its settings are data in an attribute, since no inline script may run. The
 * words of its language come beside the script, so that the panel is drawn once.
 */
export function framePage(
  config: FrameConfig,
  { script, style, words }: WidgetFiles,
  locale: WidgetLocale,
): string {
  return toText(
    html`<!doctype html>
      <html lang="${locale}">
        <head>
          <meta charset="utf-8" />
          <meta
            name="viewport"
            content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
          />
          <meta name="robots" content="noindex" />
          <meta name="parley-config" content="${JSON.stringify(config)}" />
          <title>${config.company}</title>
          <link rel="stylesheet" href="${style}" />
          <link rel="modulepreload" href="${words[locale]}" />
          <script type="module" src="${script}"></script>
        </head>
        <body>
          <div id="root"></div>
        </body>
      </html>`,
  );
}

/**
 * Content-Security-Policy of the panel: no inline script, no other host but for pictures, and no string
 * that becomes a script.
 * @param turnstileUrl origin of Cloudflare's check, whose script and frame are allowed too. Its script
 * makes markup of strings.
 */
export function framePolicy(
  { allowed_origins, dashboard_origin, settings }: FrameConfig,
  publicUrl: string,
  turnstileUrl: string | null,
): string {
  const sites =
    allowed_origins.length === 0 ? ["*"] : ["'self'", dashboard_origin, ...allowed_origins];
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...(turnstileUrl === null ? [] : [turnstileUrl])].join(" ")}`,
    "style-src 'self'",
    "connect-src 'self'",
    // Pictures of messages may be stored in the company's own systems.
    `img-src 'self' data: blob: https: ${publicUrl}`,
    `media-src 'self' https: ${publicUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(turnstileUrl === null
      ? ["require-trusted-types-for 'script'", "trusted-types 'none'"]
      : [`frame-src ${turnstileUrl}`]),
    // No list can name the origin `null`. The handshake still refuses other sites.
    ...(settings.allows_null_origin ? [] : [`frame-ancestors ${sites.join(" ")}`]),
  ].join("; ");
}
