import { useTranslation } from "react-i18next";

/** A function that writes a count with the separators of the language: `12,345`. */
export function useCountText(): (count: number) => string {
  const { i18n } = useTranslation();
  const format = new Intl.NumberFormat(i18n.language === "es" ? "es-MX" : "en-US");
  return (count) => format.format(count);
}
