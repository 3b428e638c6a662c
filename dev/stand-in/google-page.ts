import { googlePageScript } from "./google-page-script.ts";

/** Page of a person with calendars at Google: it writes, moves and deletes events. */
export const googlePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Stand-in of Google Calendar</title>
<style>
body{font:16px/1.5 system-ui;max-width:52rem;margin:2rem auto;padding:0 1rem}
form,li{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.5rem 0}
ul{padding:0}input,select,button{font:inherit;padding:.2rem .5rem}
.gone{opacity:.6}output{display:block;min-height:1.5rem}
</style></head>
<body>
<h1>Stand-in of Google Calendar</h1>
<p>What you do here is done by the owner of the calendar. Parley hears of it as from Google.</p>
<form id="choose"><label>Calendar <select name="calendar"></select></label></form>
<form id="new">
<input name="summary" placeholder="Title" aria-label="Title" required>
<input name="start" type="datetime-local" aria-label="Start" required>
<input name="minutes" type="number" value="30" min="5" max="1440" aria-label="Minutes">
<input name="guest" type="email" placeholder="guest@example.com" aria-label="Guest">
<label><input name="weekly" type="checkbox"> every week</label>
<button>Add</button>
</form>
<output></output>
<ul></ul>
<script type="module">${googlePageScript}</script>
</body></html>
`;
