import { usePanel } from "../context.ts";
import { PrivacyLink } from "./consent.tsx";

/** Words above the first message. */
export function Welcome() {
  const { words, state } = usePanel();
  const { config, locale } = state;
  const { texts, consent } = config.settings;
  const greeting = texts[locale].greeting;
  return (
    <div class="welcome">
      <span class="wave" aria-hidden="true">
        👋
      </span>
      {greeting === "" ? (
        <>
          <h2>{words.hello}</h2>
          <p>{words.intro}</p>
        </>
      ) : (
        <p class="greeting" dir="auto">
          {greeting}
        </p>
      )}
      {consent === "notice" && (
        <p class="small" dir="auto">
          {texts[locale].consent || words.consent} <PrivacyLink />
        </p>
      )}
    </div>
  );
}
