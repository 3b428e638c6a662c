/** Script of the page. It calls the controls, and looks again every two seconds. */
export const googlePageScript = String.raw`
const choose = document.querySelector("#choose");
const add = document.querySelector("#new");
const list = document.querySelector("ul");
const output = document.querySelector("output");
const calendarId = () => choose.elements.calendar.value;

async function call(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const data = await answer.json();
  output.textContent = answer.ok ? "" : data.error;
  if (answer.ok) await show();
}

function moved(event, minutes) {
  const shift = (time) =>
    time.date === undefined
      ? { dateTime: new Date(Date.parse(time.dateTime) + minutes * 60000).toISOString() }
      : time;
  return { start: shift(event.start), end: shift(event.end) };
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function line(event) {
  const item = document.createElement("li");
  const words = document.createElement("span");
  const start = event.start.date ?? new Date(event.start.dateTime).toLocaleString();
  words.textContent = start + "  " + (event.summary ?? "(no title)");
  const named = { calendarId: calendarId(), eventId: event.id };
  item.append(
    words,
    button("30 min later", () =>
      call("/control/events/change", { ...named, change: moved(event, 30) }),
    ),
    button("30 min earlier", () =>
      call("/control/events/change", { ...named, change: moved(event, -30) }),
    ),
    button("Delete", () => call("/control/events/remove", named)),
  );
  if (event.recurringEventId !== undefined)
    item.append(
      button("This and following: 30 min later", () =>
        call("/control/events/split", { ...named, change: moved(event, 30) }),
      ),
    );
  return item;
}

async function show() {
  const path = "/control/events?calendarId=" + encodeURIComponent(calendarId());
  const { events } = await (await fetch(path)).json();
  const since = Date.now() - 86400000;
  const shown = events.filter((one) => Date.parse(one.end.date ?? one.end.dateTime) > since);
  list.replaceChildren(...shown.slice(0, 100).map(line));
}

add.addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  const { summary, start, minutes, guest, weekly } = add.elements;
  const begin = new Date(start.value);
  const event = {
    summary: summary.value,
    start: { dateTime: begin.toISOString() },
    end: { dateTime: new Date(begin.getTime() + minutes.value * 60000).toISOString() },
  };
  if (guest.value !== "") event.attendees = [{ email: guest.value }];
  if (weekly.checked) event.recurrence = ["RRULE:FREQ=WEEKLY;COUNT=8"];
  await call("/control/events", { calendarId: calendarId(), event });
});

const state = await (await fetch("/control/state")).json();
for (const { name, calendars } of state.accounts) {
  const group = document.createElement("optgroup");
  group.label = name;
  for (const { id, summary } of calendars) group.append(new Option(summary, id));
  choose.elements.calendar.append(group);
}
choose.addEventListener("change", show);
await show();
setInterval(show, 2000);
`;
