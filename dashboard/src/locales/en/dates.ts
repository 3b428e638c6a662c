/** Words of the fields for days and times. */
export const dates = {
  dates: {
    form: { date: "dd/mm/yyyy", time: "hh:mm", datetime: "dd/mm/yyyy hh:mm" },
    unread: "Write it as {{form}}, for example {{example}}.",
    calendar: "Open the calendar",
    calendarOf: "Open the calendar of “{{field}}”",
  },
};
