/** Statements beside a question, a courtesy or a condition that does not govern them. */
export const mixedClaims = `
I can confirm that your appointment is booked for Friday at 3:00 PM.
I've booked you for Friday at 3:00 PM, is there anything else I can help with?
Your appointment has been cancelled, is there anything else you need?
Puedo confirmarte que tu cita quedó agendada para el viernes a las 15:00.
Ya agendé tu cita para el viernes, necesitas algo más?
If you need anything else let me know, your appointment is booked for Friday.
Si necesitas algo más dime, tu cita ya quedó cancelada.
I can see that you have an appointment on Friday.
We can confirm your visit has been moved to Monday.
Podemos confirmarle que su cita fue cancelada.
Me gustaría informarte que tu cita quedó agendada.
I can help with that, and I've booked you for Friday at 3.
Claro que puedo ayudarte, ya cancelé tu cita.
I've moved your appointment to Monday, does that work for you?
I've cancelled your visit — anything else, Ana?
Your appointment is booked for Friday, would you like the address, or a map?
Tu cita quedó cancelada, quieres agendar otra?
Ya te agendamos el viernes a las 3, te parece bien?
Te agendo el viernes a las 3, algo más?
Ya agendé tu cita para el viernes, ¿o prefieres otro día?
Ya moví tu cita al lunes a las 10 a.m., quieres la dirección?
Tu cita quedó agendada 😊 algo más?
Ya cancelé tu cita, dudas?
Ya moví tu cita al lunes ¿te ayudo en algo más?
Someone will call you this afternoon, can I help with anything else?
If you have any questions, let me know, someone will call you tomorrow.
If you have any other questions, your appointment is confirmed for Friday.
Let me know if you need anything else, I've cancelled your appointment.
Si tienes dudas, tu cita quedó agendada para el viernes.
Cualquier cosa me dices, tu cita quedó agendada.
Once again, your appointment is booked for Friday.
Una vez más, tu cita quedó cancelada.
Ya agendé tu cita necesitas algo más?
Tu cita quedó cancelada algo más?
I've booked you for Friday at 3 anything else?
Listo ya moví tu cita te ayudo con algo más?
`
  .trim()
  .split("\n");

/** Proposals, conditions and questions of several clauses. */
export const mixedNoClaims = `
Quieres que agende tu cita o necesitas algo más?
Would you like me to book it or do you need anything else?
Te agendaron algo más?
Te muevo la cita algo más temprano?
Ok, te agendo el viernes algo más tarde?
Te agendo otra cosa?
Should I cancel your appointment or anything else?
I can book that for you.
¿Quieres que la cancele?
If you confirm, your appointment is booked.
Si confirmas, queda agendada.
Once you confirm, I will book it.
Shall I book you for Friday at 3?
Would you like me to cancel your appointment, or move it?
¿Te agendo el viernes a las 3, o prefieres otro día?
Te agendo el viernes a las 3, te parece bien?
Te agendo el viernes a las 3, ¿te parece bien?
Te agendo el viernes a las 3, a qué nombre?
Te agendamos el viernes a las 3, está bien?
Te la muevo al lunes a las 10 a.m., de acuerdo?
Te voy a comunicar con una persona, te parece?
We'll call you tomorrow at 9, does that work?
Is your appointment booked for Friday, or for Saturday?
Sure, has your appointment been cancelled, Ana, or moved?
Your appointment is booked for Friday, right?
Tu cita es el viernes a las 3, verdad?
Ya tienes una cita con nosotros, Ana?
Tu cita es el viernes a las 3, o el sábado?
Tu cita está confirmada para el viernes, ¿es correcto?
¿Tu cita quedó agendada para las 3 p.m. del viernes?
I can see whether your appointment is booked.
I can't confirm that your appointment is booked.
No puedo confirmarte que tu cita quedó agendada.
Dime tu nombre, así puedo confirmarte que tu cita quedó agendada.
May I have your name, so I can confirm that your appointment is booked?
Please tell me your name so that I can confirm that your appointment is booked.
If you pay today, I can confirm that your appointment is booked.
Si necesitas algo más, te paso con una persona.
Si tienes dudas, te llamamos.
Puedo tomar tus datos y te llamamos mañana.
Puedo agendarte el viernes a las 3, y queda confirmada.
I can book you for Friday, or I can move your appointment.
If you need anything else and you confirm, I can book it.
`
  .trim()
  .split("\n");
