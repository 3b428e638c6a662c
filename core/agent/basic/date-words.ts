// Words of days and times, folded. All of them are part of the closed vocabulary.

export const weekdayNumbers = new Map<string, number>(
  Object.entries({
    lunes: 1,
    martes: 2,
    miercoles: 3,
    jueves: 4,
    viernes: 5,
    sabado: 6,
    sabados: 6,
    domingo: 7,
    domingos: 7,
    lun: 1,
    mie: 3,
    jue: 4,
    vie: 5,
    monday: 1,
    tuesday: 2,
    wednesday: 3,
    thursday: 4,
    friday: 5,
    saturday: 6,
    sunday: 7,
    mondays: 1,
    tuesdays: 2,
    wednesdays: 3,
    thursdays: 4,
    fridays: 5,
    saturdays: 6,
    sundays: 7,
    mon: 1,
    tue: 2,
    tues: 2,
    weds: 3,
    thu: 4,
    thur: 4,
    thurs: 4,
    fri: 5,
  }),
);

/** Short weekdays that are other words too: they count only after a word such as `on`. */
export const shortWeekdays = new Map<string, number>(
  Object.entries({ mar: 2, sab: 6, dom: 7, wed: 3, sat: 6, sun: 7 }),
);

export const monthNumbers = new Map<string, number>(
  Object.entries({
    enero: 1,
    febrero: 2,
    marzo: 3,
    abril: 4,
    mayo: 5,
    junio: 6,
    julio: 7,
    agosto: 8,
    septiembre: 9,
    setiembre: 9,
    octubre: 10,
    noviembre: 11,
    diciembre: 12,
    ene: 1,
    feb: 2,
    abr: 4,
    jun: 6,
    jul: 7,
    ago: 8,
    sep: 9,
    sept: 9,
    oct: 10,
    nov: 11,
    dic: 12,
    january: 1,
    february: 2,
    march: 3,
    april: 4,
    may: 5,
    june: 6,
    july: 7,
    august: 8,
    september: 9,
    october: 10,
    november: 11,
    december: 12,
    jan: 1,
    apr: 4,
    aug: 8,
    dec: 12,
  }),
);

const unitNumbers =
  "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince " +
  "dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro " +
  "veinticinco veintiseis veintisiete veintiocho veintinueve treinta";
const englishNumbers =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
  "sixteen seventeen eighteen nineteen twenty";
const englishOrdinals =
  "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth " +
  "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth";

const listed = (text: string): [string, number][] =>
  text.split(" ").map((word, index) => [word, index]);

/** Words of numbers up to thirty, and the tens up to fifty. */
export const numberWords = new Map<string, number>([
  ...listed(unitNumbers),
  ...listed(englishNumbers),
  ["una", 1],
  ["un", 1],
  ["cuarenta", 40],
  ["cincuenta", 50],
  ["thirty", 30],
  ["forty", 40],
  ["fifty", 50],
]);

export const ordinalWords = new Map<string, number>([
  ...listed(englishOrdinals).filter(([, value]) => value > 0),
  ["thirtieth", 30],
  ["primero", 1],
]);

export const parts = ["morning", "afternoon", "evening"] as const;
export type Part = (typeof parts)[number];

export const partWords = new Map<string, Part>(
  Object.entries({
    manana: "morning",
    mananas: "morning",
    tarde: "afternoon",
    tardes: "afternoon",
    noche: "evening",
    noches: "evening",
    morning: "morning",
    mornings: "morning",
    afternoon: "afternoon",
    afternoons: "afternoon",
    evening: "evening",
    evenings: "evening",
    night: "evening",
  } as const),
);

/** Other words of the grammar, for the correction of typos. */
export const otherDateWords =
  "pasado ayer semana semanas siguiente proximo proxima proximos viene entra entre desde hasta " +
  "despues antes partir cuarto media medio menos mediodia medianoche madrugada today tomorrow yesterday " +
  "tonight week weeks weekend month between until through before after around quarter noon " +
  "midnight midday starting temprano temprana early";
