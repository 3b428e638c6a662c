/** Names that people have and that pages must stand: 200 characters, emoji, right to left, none. */
export const oddNames = [
  "Wolfeschlegelsteinhausenbergerdorff".repeat(6).slice(0, 200),
  `${"María del Carmen Guadalupe Fernández de la Vega ".repeat(5).slice(0, 190)}`.trim(),
  "👩🏽‍🚀 Ana 🌮🌮🌮 Ruiz",
  "محمد عبد الرحمن بن عبد العزيز",
  "שרה בן־דוד",
  "山田 太郎",
  undefined,
] as const;
