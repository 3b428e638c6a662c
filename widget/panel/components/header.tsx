import { useState } from "preact/hooks";
import { usePanel } from "../context.ts";
import { fill, formatBackAt, initialOf } from "../format.ts";
import { Icon } from "./icon.tsx";
import { Suspended } from "./suspended.tsx";

const loadMenu = async () => (await import("./menu.tsx")).Menu;

/** Name of the company, when it answers, and the buttons of the panel. */
export function Header() {
  const { chat, words, state } = usePanel();
  const { config, locale } = state;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const texts = config.settings.texts[locale];
  const title = texts.title || config.company;
  return (
    <header class="header">
      <span class="avatar large" aria-hidden="true">
        {initialOf(title)}
      </span>
      <div class="titles">
        <h1 dir="auto">{title}</h1>
        <Status />
      </div>
      <div class="menu-place">
        <button
          type="button"
          class="bare"
          aria-label={words.menu}
          aria-haspopup="menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="dots" />
        </button>
        {isMenuOpen && (
          <Suspended load={loadMenu} props={{ onClose: () => setMenuOpen(false) }} isSmall />
        )}
      </div>
      <button type="button" class="bare" aria-label={words.close} onClick={() => chat.close()}>
        <Icon name="close" />
      </button>
    </header>
  );
}

/** Subtitle, hours and the usual time of a reply. Each can be switched off. */
function Status() {
  const { words, state } = usePanel();
  const { session, config, locale } = state;
  const { settings } = config;
  const texts = settings.texts[locale];
  const isAway = session !== null && !session.online;
  const lines: string[] = [];
  if (texts.subtitle !== "") lines.push(texts.subtitle);
  if (isAway && settings.shows_hours) {
    const back =
      session.back_at === null
        ? words.offline
        : fill(words.backAt, { time: formatBackAt(session.back_at, locale) });
    lines.push(texts.offline || back);
  } else if (settings.shows_reply_time) lines.push(texts.reply_time || words.replyTime);
  return (
    <p class="status">
      {session !== null && settings.shows_hours && (
        <>
          <span class={isAway ? "dot away" : "dot"} aria-hidden="true" />
          <span class="hidden">{isAway ? words.offline : words.online}. </span>
        </>
      )}
      <span dir="auto">{lines.join(" · ")}</span>
    </p>
  );
}
