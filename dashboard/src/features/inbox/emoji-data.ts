import type { EmojiData, EmojiDataResolver, SkinTone } from "frimousse";

/** Emoji of a later version show as empty boxes on phones of 2022 and before. */
const newestVersion = 15;

const tones = ["none", "light", "medium-light", "medium", "medium-dark", "dark"] as const;

/** Names, groups and tags of each language, each fetched once from our own server. */
const sources = {
  en: async () =>
    await Promise.all([
      import("emojibase-data/en/data.json"),
      import("emojibase-data/en/messages.json"),
    ]),
  es: async () =>
    await Promise.all([
      import("emojibase-data/es-mx/data.json"),
      import("emojibase-data/es-mx/messages.json"),
    ]),
};

/** Emoji in the language of the page. */
export const resolveEmojiData: EmojiDataResolver = async (locale) => {
  const [{ default: emojis }, { default: messages }] =
    await sources[locale === "es" ? "es" : "en"]();
  return {
    locale,
    categories: messages.groups
      .filter(({ key }) => key !== "component")
      .map(({ order, message }) => ({ index: order, label: capital(message) })),
    emojis: emojis.flatMap(({ emoji, group, label, tags = [], version, skins = [] }) =>
      group === undefined || version > newestVersion
        ? []
        : [
            {
              emoji,
              category: group,
              label: capital(label),
              version,
              // People leave accents out when they search.
              tags: [...tags, ...[label, ...tags].map(plain)],
              skins: skins.length === 0 ? undefined : skinsOf(skins),
            },
          ],
    ),
    skinTones: Object.fromEntries(
      messages.skinTones.map(({ key, message }) => [key, message]),
    ) as EmojiData["skinTones"],
  };
};

/** One emoji for each tone. Pairs of people with two tones are left out. */
function skinsOf(skins: { emoji: string; tone?: number | number[] }[]) {
  const single = skins.flatMap(({ emoji, tone }) =>
    typeof tone === "number" ? [[tones[tone], emoji]] : [],
  );
  return Object.fromEntries(single) as Record<Exclude<SkinTone, "none">, string>;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "");
}
