/** Sentences that claim nothing: questions, offers, conditions, negations, rules, small talk. */
export const noClaims = `
¿Quieres que la agende?
¿Te agendo el martes a las 10?
¿Confirmo tu cita para mañana?
¿Quieres que te la deje reservada?
Puedo agendarte para el martes a las 10.
Si quieres, te agendo el martes a las 10.
Si me confirmas, tu cita queda agendada.
En cuanto me digas la hora, te la reservo.
Tu cita queda confirmada cuando pagas el anticipo.
Para agendar necesito tu nombre.
Todavía no he agendado tu cita.
Tu cita aún no está confirmada.
No tienes citas agendadas.
No pude reservar ese horario.
El horario de las 10 ya está ocupado.
Tengo libre el martes a las 10 y el jueves a las 12.
¿Qué día te queda bien?
¿Cuál de estos horarios prefieres?
Las citas se agendan por este chat.
Las citas canceladas con menos de 24 horas tienen costo.
Nuestro horario es de lunes a viernes de 9:00 a 18:00.
La limpieza cuesta $800.
Hola, soy Sol. ¿En qué te ayudo?
Con gusto te ayudo a agendar.
¿Quieres que cancele tu cita?
¿Seguro que quieres cancelar la cita del martes?
Si cancelas hoy, no hay costo.
No he cancelado nada.
Para cancelar necesito que me lo confirmes.
Puedo cancelarla si me lo confirmas.
¿Quieres moverla al jueves?
¿La muevo al jueves a las 12?
Puedo mover tu cita al jueves.
No se puede mover una cita el mismo día.
Si prefieres, te la cambio para el viernes.
¿Me das tu correo para anotarlo?
¿Anoto tu nombre como Ana López?
Necesito tu nombre para guardarlo.
No guardamos datos de tarjetas.
¿Quieres que te pase con una persona?
¿Te comunico con un asesor?
Si lo prefieres, te paso con una persona.
Puedo pasarte con alguien del equipo.
No puedo transferir llamadas.
¿Prefieres que te llamemos?
Si quieres, te llamamos mañana.
No hacemos llamadas.
Puedes llamarnos al 55 1234 5678.
Escríbenos cuando quieras.
Recuerda llegar 10 minutos antes de tu cita.
Antes de confirmar, ¿me dices tu nombre?
Una vez que me confirmes, queda reservado.
Para que quede agendada, dime tu nombre.
¿Ya tienes una cita con nosotros?
El consultorio está en Av. Juárez 12.
Aceptamos tarjeta y efectivo.
Gracias por escribirnos.
De nada, que tengas buen día.
Ese día no atendemos.
Tu cita no ha sido cancelada.
No tengo esa información.
Nunca cancelamos sin avisar.
¿A qué hora te gustaría?
Dime qué servicio necesitas.
Would you like me to book it?
Shall I book Tuesday at 10?
I can book you for Tuesday at 10.
If you confirm, I'll book it.
Once you confirm, your appointment is booked.
Your appointment is not confirmed yet.
I haven't booked anything yet.
I couldn't book that time.
To book, I need your name.
Which time works for you?
We have Tuesday at 10 and Thursday at noon.
Is your appointment confirmed?
You don't have any appointments.
Appointments are booked in this chat.
Cancelled appointments cost a fee.
Should I cancel your appointment?
Do you want me to cancel it?
I can cancel it if you confirm.
If you cancel today, there is no fee.
I have not cancelled it.
Nothing has been cancelled.
Would you like to move it to Thursday?
I can move your appointment to Friday.
I can't move it on the same day.
Shall I move it to Friday at 9?
May I have your email?
Could you tell me your name?
We don't store card numbers.
Would you like to talk to a person?
I can connect you with a colleague.
If you prefer, I can transfer you.
Should I pass this on to the team?
Would you like us to call you?
We don't make calls.
You can call us at 55 1234 5678.
If you want, we will call you tomorrow.
A cleaning costs $800.
We are open Monday to Friday from 9 to 6.
Please arrive ten minutes before your appointment.
Thanks for writing to us.
You're welcome, have a nice day.
I don't have that information.
Before I confirm, what is your name?
When would you like to come?
That time is already taken.
Our address is Av. Juárez 12.
¿Quieres que deje una nota para el doctor?
Puedo ofrecerte el martes o el jueves.
No alcanzo a ver tus citas anteriores.
¿Te llamo Ana o prefieres otro nombre?
Ya casi terminamos, solo falta tu nombre.
Si confirmas, la dejo reservada.
¿Ya habías reservado antes con nosotros?
La doctora atiende los martes.
Cuéntame qué necesitas.
Para cambios, avísanos un día antes.
Do you already have an appointment?
I'd need your email to save it.
You may cancel at any time.
Are you free on Tuesday?
Our staff can answer that by phone.
Just to check, do you want Tuesday or Thursday?
I don't see a booking for you.
Let me check the available times.
We offer cleanings and whitening.
Reply "yes" to book this time.
¿Te parece bien el martes a las 10:00 para tu limpieza?
Tengo estos horarios: martes a las 10:00 y jueves a las 12:00.
Claro, ¿para qué servicio quieres la cita?
Antes de cancelar tu cita, ¿me confirmas que es la del martes?
¿Confirmas que quieres mover tu cita al viernes?
Ese horario ya no está disponible, pero tengo las 11:00.
Lo siento, no encontré ninguna cita con tu número.
Para reservar me falta tu nombre completo.
Sí, aceptamos seguro; trae tu credencial.
La limpieza dura 45 minutos y cuesta $800.
Estamos en Av. Juárez 12, a una cuadra del parque.
¿Quieres que le avise a una persona del equipo?
Si necesitas hablar con alguien, dímelo y te comunico.
Puedes cancelar sin costo hasta 24 horas antes.
¿Prefieres que la agende por la mañana o por la tarde?
¡Hola! Soy el asistente de Clínica Sol, ¿cómo te ayudo?
No puedo confirmar tu cita sin un horario.
Los domingos estamos cerrados.
¿Me compartes tu correo para enviarte los detalles?
Entiendo, ¿qué día te acomoda mejor?
Does Tuesday at 10 AM work for your cleaning?
I have Tuesday at 10 AM or Thursday at noon available.
Sure, which service would you like?
Before I cancel it, can you confirm it's the Tuesday one?
Sorry, I couldn't find an appointment under your number.
I need your full name to complete the booking.
That time is no longer available, but 11 AM is open.
You can cancel free of charge up to 24 hours before.
Would you prefer that I schedule it in the morning?
Yes, we take insurance; please bring your card.
Do you want me to let the team know?
If you need to talk to someone, just tell me and I'll connect you.
We're closed on Sundays.
I can't confirm your appointment without a time.
¿Te gustaría que la reservara?
Dime si quieres que la cambie.
Puedo apartar ese horario si me das tu nombre.
¿Está bien si la cancelo?
Tu cita sería el martes a las 10, ¿la confirmo?
Entonces sería el martes a las 10, ¿de acuerdo?
La consulta dura 45 minutos.
Necesito que me confirmes para agendar.
No encuentro una cita a tu nombre.
Quedo al pendiente.
Las citas confirmadas no se reembolsan.
Estoy para ayudarte.
Los lugares reservados se liberan a los 10 minutos.
Está agendado hasta las 6, después hay lugar.
Ese horario ya fue reservado por otra persona.
The doctor is booked all day Tuesday.
Tuesday is fully booked.
That slot has been taken.
We only confirm appointments after payment.
Your appointment would be on Tuesday at 10.
To confirm your appointment, reply yes.
I'd be happy to help you book.
Bookings can be moved up to 24 hours before.
If it's cancelled late, a fee applies.
Please call us when you arrive.
I understand you cancelled last week.
You asked me to cancel; is that right?
Is there anything else I should note?
We will be closed on Monday.
Our team is available from 9 to 6.
Leí tu mensaje, dame un segundo.
Te mostré los horarios de la tarde.
Me equivoqué de día, perdona.
Cometí un error con la fecha.
Te envío los horarios disponibles.
Te comparto la ubicación.
He revisado la agenda y hay lugar el martes.
Te buscamos en Av. Juárez 12, junto al parque.
Te recomendé la limpieza por el tiempo que pasó.
El estacionamiento está ubicado atrás.
La consulta está incluida en el precio.
Tu cita es importante para nosotros.
I took a look at the calendar.
I got your message, thank you.
I made a mistake with the date, sorry.
I suggested Tuesday because it is the first free day.
We moved to a new address last year.
We opened in 2010.
The appointment is needed for braces.
Your question is a good one.
The time is shown in your zone.
`
  .trim()
  .split("\n");
