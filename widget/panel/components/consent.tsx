import { usePanel } from "../context.ts";

/** Asks for consent. Nothing is stored until the visitor agrees. */
export function Consent() {
  const { chat, words, state } = usePanel();
  const { config, locale } = state;
  return (
    <main class="page">
      <h2>{words.consentTitle}</h2>
      <p class="prose" dir="auto">
        {config.settings.texts[locale].consent || words.consent}
      </p>
      <PrivacyLink />
      <button type="button" class="primary" onClick={() => void chat.agree()}>
        {words.agree}
      </button>
    </main>
  );
}

/** Link to the privacy policy, where there is one. */
export function PrivacyLink() {
  const { words, state } = usePanel();
  const { privacy_url: url } = state.config.settings;
  if (url === null) return null;
  return (
    <a href={url} target="_blank" rel="noopener">
      {words.privacy}
    </a>
  );
}
