import type Router from "@koa/router";
import { html, toText, type Html } from "../booking/html.ts";
import type { Deps } from "../deps.ts";
import { widgetKey } from "../../core/model/widget.ts";

const goods: [name: string, price: string, picture: string][] = [
  ["Canvas backpack", "$ 64", "🎒"],
  ["Enamel mug", "$ 14", "☕"],
  ["Wool blanket", "$ 89", "🧶"],
  ["Desk lamp", "$ 52", "💡"],
  ["Notebook", "$ 9", "📓"],
  ["Reading glasses", "$ 38", "👓"],
];

const style = `body{margin:0;font:16px/1.5 Georgia,serif;color:#2b2a27;background:#faf8f4}
header{display:flex;gap:24px;align-items:baseline;padding:20px 6vw;border-bottom:1px solid #e5dfd3}
header strong{font-size:22px;margin-inline-end:auto}a{color:inherit}
main{padding:40px 6vw}h1{font-size:40px;margin:0 0 8px}
ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(180px,1fr));gap:24px;padding:0;list-style:none}
li{background:#fff;border:1px solid #e5dfd3;border-radius:10px;padding:20px}
li b{display:block;font-size:52px;text-align:center;font-weight:400}`;

/** Serves `/demo`: a plain shop with the web chat, to try it. `?key=` chooses another widget. */
export function mountDemo({ dataSource, config }: Deps, router: Router): void {
  router.get("/demo", async (ctx) => {
    ctx.state["route"] = "/demo";
    const wanted = ctx.query["key"]?.toString() ?? "";
    const key = widgetKey.test(wanted)
      ? wanted
      : ((
          await dataSource.query<{ key: string }[]>(
            "SELECT public_key AS `key` FROM widgets WHERE deleted_at IS NULL ORDER BY id LIMIT 1",
          )
        )[0]?.key ?? null);
    const { widgetUrl } = config;
    ctx.set(
      "Content-Security-Policy",
      `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ${widgetUrl}; frame-src ${widgetUrl}; base-uri 'none'`,
    );
    ctx.set("Referrer-Policy", "strict-origin-when-cross-origin");
    ctx.type = "text/html";
    ctx.body = toText(demoPage(key === null ? null : `${widgetUrl}/widget/${key}.js`));
  });
}

function demoPage(script: string | null): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>Garden Street Supplies</title>
        <style>
          ${style}
        </style>
        ${script !== null && html`<script async src="${script}"></script>`}
      </head>
      <body>
        <header><strong>Garden Street Supplies</strong><a href="/demo">Shop</a></header>
        <main>
          <h1>Things that last</h1>
          <p>
            ${
              script === null
                ? "This installation has no web chat yet. Make one in the Dashboard under Channels."
                : "This shop is made up. Its web chat is real: write, and answer in the Dashboard."
            }
          </p>
          <ul>
            ${goods.map(([name, price, picture]) => html`<li><b>${picture}</b>${name}<br />${price}</li>`)}
          </ul>
        </main>
      </body>
    </html>`;
}
