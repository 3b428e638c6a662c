import { metaPageScript } from "./meta-page-script.ts";

const style = `
:root { color-scheme: light dark; --line: #d0d4da; --soft: #f3f5f7; --ours: #d9f2e1; --accent: #0b6b3a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #1f242b; --ours: #173d28; --accent: #6fd39b; --bad: #ff9c94; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.45 system-ui, sans-serif; }
header { padding: 16px; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 20px; }
h2 { margin: 0 0 8px; font-size: 16px; }
header p { margin: 4px 0 0; font-size: 14px; overflow-wrap: anywhere; }
main { display: grid; gap: 16px; padding: 16px; max-width: 1440px; margin: 0 auto; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 900px) { main { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; } }
section { border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin-bottom: 16px; }
section:last-child { margin-bottom: 0; }
.tabs, .row { display: flex; flex-wrap: wrap; gap: 8px; }
button, input, select { font: inherit; min-height: 44px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px; background: Canvas; color: CanvasText; max-width: 100%; }
button { cursor: pointer; }
button[aria-pressed="true"], button.main { background: var(--accent); color: Canvas; border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
ul { list-style: none; margin: 0; padding: 0; }
#talk { height: 45vh; min-height: 240px; overflow-y: auto; padding: 12px; margin: 12px 0; background: var(--soft); border-radius: 6px; display: flex; flex-direction: column; gap: 8px; }
.line { max-width: 85%; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; background: Canvas; align-self: flex-end; }
.ours { align-self: flex-start; background: var(--ours); }
.words { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.picture { display: block; max-width: 100%; max-height: 200px; border-radius: 4px; margin-top: 4px; }
.facts { margin: 4px 0 0; font-size: 13px; opacity: 0.8; }
.pick { min-height: 28px; padding: 2px 8px; margin-top: 4px; font-size: 13px; }
.empty { opacity: 0.8; }
form { display: grid; gap: 8px; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 600px) { form { grid-template-columns: 160px minmax(0, 1fr) auto; align-items: end; } form .wide { grid-column: 1 / -1; } }
label { display: grid; gap: 4px; font-size: 14px; }
#problem { min-height: 1.5em; margin: 8px 0 0; color: var(--bad); overflow-wrap: anywhere; }
select, input { width: 100%; }
details { border-bottom: 1px solid var(--line); padding: 8px 0; }
summary { cursor: pointer; font-size: 14px; }
.bad { color: var(--bad); }
pre { font-size: 12px; overflow: auto; max-height: 240px; }
`;

/** The page on which one writes as a customer and reads what the product sent. */
export const metaPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stand-in of Meta</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
<h1>Stand-in of Meta</h1>
<p>Webhooks go to <code id="callback">…</code></p>
</header>
<main>
<section aria-labelledby="talk-title">
<h2 id="talk-title">Talk</h2>
<div class="tabs" role="group" aria-label="Network">
<button type="button" data-network="whatsapp" aria-pressed="true">WhatsApp</button>
<button type="button" data-network="messenger" aria-pressed="false">Messenger</button>
<button type="button" data-network="instagram" aria-pressed="false">Instagram</button>
</div>
<p id="account">…</p>
<ul id="talk" tabindex="0" aria-label="Messages"></ul>
<form id="write">
<label>Kind <select id="kind"></select></label>
<label>Text, caption or emoji <input id="text" autocomplete="off"></label>
<button class="main">Send as customer</button>
<label class="wide">Picture or other file <input id="file" type="file"></label>
<label class="wide">Message that it answers or changes (id) <input id="target" autocomplete="off"></label>
</form>
<p id="problem" role="status"></p>
</section>
<div>
<section aria-labelledby="script-title">
<h2 id="script-title">How sends go</h2>
<label>Script <select id="script"></select></label>
</section>
<section aria-labelledby="hooks-title">
<h2 id="hooks-title">Webhooks</h2>
<div class="row">
<button type="button" id="verify">Shake hands</button>
<button type="button" id="hold">Hold</button>
<button type="button" id="release">Release</button>
<button type="button" id="shuffle">Release reversed, by threes, twice</button>
</div>
<p id="held" role="status"></p>
<ul id="webhooks" aria-label="Latest webhooks"></ul>
</section>
<section aria-labelledby="calls-title">
<h2 id="calls-title">Sent by the product</h2>
<ul id="calls" aria-label="Latest sends"></ul>
</section>
</div>
</main>
<script>${metaPageScript}</script>
</body>
</html>
`;
