/** An appointment in a calendar file. */
export interface CalendarEntry {
  /** Unique and stable, so that a newer file replaces the entry. */
  uid: string;
  /** Grows with every change. */
  sequence: number;
  isCancelled: boolean;
  start: Date;
  end: Date;
  /** The time of the file. */
  now: Date;
  summary: string;
  location: string | null;
}

/** A calendar file with one appointment (RFC 5545). Times are in UTC. */
export function renderCalendarFile(entry: CalendarEntry): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Parley//Booking//EN",
    "METHOD:PUBLISH",
    "BEGIN:VEVENT",
    `UID:${textOf(entry.uid)}`,
    `SEQUENCE:${entry.sequence}`,
    `STATUS:${entry.isCancelled ? "CANCELLED" : "CONFIRMED"}`,
    `DTSTAMP:${utcOf(entry.now)}`,
    `DTSTART:${utcOf(entry.start)}`,
    `DTEND:${utcOf(entry.end)}`,
    `SUMMARY:${textOf(entry.summary)}`,
    ...(entry.location === null ? [] : [`LOCATION:${textOf(entry.location)}`]),
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  return `${lines.map(fold).join("\r\n")}\r\n`;
}

/** `20261126T180000Z` */
function utcOf(moment: Date): string {
  return moment.toISOString().replaceAll(/[-:]|\.\d+/gu, "");
}

/** A value without the characters that have a meaning, so that no text adds a property. */
function textOf(text: string): string {
  return text
    .replaceAll(/[\\;,]/gu, String.raw`\$&`)
    .replaceAll(/\r\n|[\r\n]/gu, String.raw`\n`)
    .replaceAll(/\p{Cc}/gu, "");
}

/** At most 75 bytes a line; a continued line begins with a space. */
function fold(line: string): string {
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const character of line) {
    const size = new TextEncoder().encode(character).length;
    if (bytes + size > 74) {
      parts.push(part);
      part = "";
      bytes = 0;
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join("\r\n ");
}
