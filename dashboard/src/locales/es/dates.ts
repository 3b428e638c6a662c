export const dates = {
  dates: {
    form: { date: "dd/mm/aaaa", time: "hh:mm", datetime: "dd/mm/aaaa hh:mm" },
    unread: "Escríbelo como {{form}}, por ejemplo {{example}}.",
    calendar: "Abrir el calendario",
    calendarOf: "Abrir el calendario de «{{field}}»",
  },
};
