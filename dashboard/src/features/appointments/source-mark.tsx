import { IconBrandGoogle, IconCalendarTime, type Icon } from "@tabler/icons-react";

const marks: Record<string, Icon> = { google: IconBrandGoogle, calendly: IconCalendarTime };

/** @returns true for an appointment that was booked in an external calendar. */
export function isFromOutside(source: string | null): source is "google" | "calendly" {
  return source !== null && source in marks;
}

/** Icon of the external calendar in which an appointment was booked; nothing for another source. */
export function SourceMark({ source }: { source: string | null }) {
  if (!isFromOutside(source)) return null;
  const Picture = marks[source];
  return Picture === undefined ? null : <Picture size={13} aria-hidden />;
}
