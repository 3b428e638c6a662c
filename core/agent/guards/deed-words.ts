// Alternatives of patterns for deeds, over folded text.

/** Participles of bookings, without their last vowel. */
export const bookedStems = "agendad|reservad|apartad|programad|confirmad";
/** Participles of moves, without their last vowel. */
export const movedStems = "reagendad|reprogramad|movid|cambiad";
export const bookedInEnglish = "booked|scheduled|reserved|confirmed";
export const movedInEnglish = "moved|rescheduled|changed";
