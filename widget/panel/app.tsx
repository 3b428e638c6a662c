import { useEffect, useRef, useState } from "preact/hooks";
import type { WidgetLocale } from "../../core/model/widget.ts";
import type { PanelChat } from "./chat.ts";
import { Consent } from "./components/consent.tsx";
import { Header } from "./components/header.tsx";
import { Suspended } from "./components/suspended.tsx";
import { Thread } from "./components/thread.tsx";
import { Trouble } from "./components/trouble.tsx";
import { PanelProvider, useChanges } from "./context.ts";
import type { Words } from "./locales/words.ts";
import { keepFocusInside, mayTakeFocus, noteShown } from "./focus.ts";
import type { Phase } from "./state.ts";
import { applyTheme } from "./theme.ts";

const catalogues: Record<WidgetLocale, () => Promise<{ words: Words }>> = {
  en: async () => await import("./locales/en.ts"),
  es: async () => await import("./locales/es.ts"),
  pt: async () => await import("./locales/pt.ts"),
};

const loadForm = async () => (await import("./components/pre-chat.tsx")).PreChat;

function useWords(locale: WidgetLocale): Words | null {
  const [words, setWords] = useState<Words | null>(null);
  useEffect(() => {
    let isCurrent = true;
    catalogues[locale]().then(
      (found) => isCurrent && setWords(found.words),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [locale]);
  return words;
}

/** A panel that opens has the focus, unless one of its fields took it. */
function useFocus(isOpen: boolean, isDrawn: boolean, phase: Phase) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isShown = isOpen && isDrawn;
    if (isShown && mayTakeFocus() && document.activeElement === document.body) box.current?.focus();
    noteShown(isShown);
  }, [isOpen, isDrawn, phase]);
  return box;
}

/** The whole panel. */
export function App({ chat }: { chat: PanelChat }) {
  const state = useChanges(chat);
  const { config, isReady, isRtl, locale, theme, isOpen, isFull } = state;
  const words = useWords(locale);
  const isDrawn = isReady && words !== null;
  const box = useFocus(isOpen, isDrawn, state.phase);
  const { look } = config.settings;
  useEffect(() => {
    const apply = (): void => applyTheme(theme, look);
    apply();
    const query = matchMedia("(prefers-color-scheme: dark)");
    query.addEventListener("change", apply);
    return () => query.removeEventListener("change", apply);
  }, [theme, look]);
  useEffect(() => {
    document.documentElement.lang = locale;
    document.documentElement.dir = isRtl ? "rtl" : "ltr";
  }, [locale, isRtl]);
  if (!isReady || words === null) return null;
  const name = config.settings.texts[locale].title || config.company;
  return (
    <PanelProvider value={{ chat, words }}>
      {/* Keys reach the panel from any of its fields. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={box}
        class={isFull ? "panel full" : "panel"}
        role="dialog"
        tabIndex={-1}
        aria-modal={isFull}
        aria-label={name}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !event.defaultPrevented) chat.close();
          if (event.key === "Tab" && isFull) keepFocusInside(event);
        }}
      >
        <Header />
        <Body key={state.visit} phase={state.phase} />
      </div>
    </PanelProvider>
  );
}

function Body({ phase }: { phase: Phase }) {
  // The unsent text outlasts a form, and a start that failed.
  const [text, setText] = useState("");
  switch (phase) {
    case "consent":
      return <Consent />;
    case "form":
      return <Suspended load={loadForm} props={{}} />;
    case "failed":
    case "blocked":
      return <Trouble />;
    case "idle":
    case "starting":
    case "chat":
      return <Thread text={text} onText={setText} />;
  }
}
