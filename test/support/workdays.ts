const dayMs = 86_400_000;

/** Names in Spanish of the next two workdays from the day after tomorrow: their times are to come. */
export function workdaysAhead(): [first: string, second: string] {
  const [first = "", second = ""] = [2, 3, 4, 5, 6]
    .map((ahead) => new Date(Date.now() + ahead * dayMs))
    .filter((date) => date.getUTCDay() % 6 !== 0)
    .map((date) => date.toLocaleDateString("es-MX", { weekday: "long", timeZone: "UTC" }));
  return [first, second];
}
