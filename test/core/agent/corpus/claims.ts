/** Sentences that claim a deed. */
export const claims = `
Listo, ya agendé tu cita.
Tu cita quedó agendada para el martes 24 de noviembre a las 10:00.
Perfecto, tu cita está confirmada.
He reservado tu lugar para mañana a las 9.
Ya te agendé con la Dra. Soto.
Hemos agendado tu consulta para el viernes.
Quedaste agendado para el lunes a las 11.
Tu reserva ha sido confirmada.
Cita confirmada: martes 24 de noviembre, 10:00, Dra. Soto
Listo, agendado para el jueves.
¡Hecho! Reservado para el miércoles a las 4 de la tarde.
Te aparté el horario de las 12.
Te agendo el martes a las 10.
Tu espacio quedó apartado.
No te preocupes, ya reservé tu cita.
Con gusto, Ana. Tu cita ya está registrada para el 3 de diciembre.
¡Excelente! Ya quedó agendada tu limpieza.
Confirmé tu cita con el doctor.
Programé tu visita para el sábado.
Tienes una cita el martes a las 10.
Tu turno sigue confirmado para mañana.
Moví tu cita al jueves a las 12.
Tu cita fue movida al viernes.
He cambiado tu cita para el lunes.
Listo, reagendé tu consulta para el 2 de diciembre.
Ya reprogramé tu visita.
Tu cita quedó reagendada para mañana.
Cambiamos tu hora a las 5 de la tarde.
Hemos movido tu cita al martes.
Tu cita ha sido reprogramada.
Te la muevo al jueves a las 9.
Cancelé tu cita del martes.
Tu cita quedó cancelada.
He cancelado tu reserva.
Listo, cancelada.
Tu cita ha sido anulada, Ana.
Ya cancelamos tu consulta.
Cita cancelada: martes 24 de noviembre, 10:00
Tu reserva está cancelada.
Ya no tienes cita el martes.
Anoté tu correo.
He guardado tu nombre.
Queda anotado que prefieres por la mañana.
Tomé nota de tu alergia.
Actualicé tus datos.
Tomo nota de tu solicitud.
Hemos actualizado tu correo electrónico.
Ya guardé tu teléfono.
Te paso con una persona del equipo.
Te comunico con un asesor.
Te transfiero con recepción.
He avisado al equipo.
Ya avisé a mi compañera.
Le paso tu mensaje a la doctora, paso tu solicitud ahora.
He pasado tu caso a un asesor.
Pasé tu mensaje al equipo.
Te estoy transfiriendo con una persona.
Te llamaré mañana.
Te llamamos en un momento.
Nos pondremos en contacto contigo hoy.
Un asesor te llamará por la tarde.
Te avisaré en cuanto haya un espacio.
Te contactaremos a la brevedad.
Alguien del equipo te escribirá hoy.
Te voy a llamar en diez minutos.
En breve te marcamos.
I've booked your appointment for Tuesday at 10.
Your appointment is confirmed.
Your appointment has been scheduled for Friday.
You're all set for Tuesday at 10 AM.
You are booked for Monday.
I have reserved your spot.
Done! Booked for Thursday at 4 PM.
I just scheduled you with Dr. Soto.
Great, I booked it.
It's booked!
Appointment confirmed: Tuesday, November 24, 10:00 AM
I went ahead and it has been confirmed.
You have an appointment on Tuesday at 10.
Your booking for tomorrow was confirmed.
We've confirmed your visit.
Don't worry, I've booked you in for noon.
I've moved your appointment to Thursday.
Your appointment has been rescheduled.
I rescheduled your visit to Friday at 9.
Your booking was moved to 5 PM.
All done, moved to Monday.
We changed your appointment to Wednesday.
I've cancelled your appointment.
Your appointment is cancelled.
Your reservation has been canceled.
I canceled it for you.
Done, cancelled.
I've noted your allergy.
I have updated your email.
I've saved your name.
I made a note of that.
Your email has been updated.
Noted.
I'm transferring you to a colleague.
I've passed your message to the team.
I have notified the team.
Connecting you with a person now.
I've let the team know.
I've forwarded your request to our staff.
I'll call you tomorrow.
We will contact you shortly.
Someone will call you back today.
I'll get back to you this afternoon.
A colleague will reach out soon.
Our team will be in touch.
We'll let you know by email.
Ya está, Ana: te anoté para el lunes a las 9.
Tu cita de limpieza quedó para el martes a las 10:00.
Queda confirmada tu visita del viernes.
Sí, tu cita ya fue cancelada.
Pasé tu cita al jueves, como querías.
Tu cita del martes ya no existe, la cancelé.
Le dejé una nota al doctor sobre tu alergia.
Ya le pasé tus datos a recepción.
Te contactará un asesor en los próximos minutos.
Mañana te llamamos para confirmar.
You're booked in with Dr. Soto on Tuesday at 10.
Your appointment for Friday at 9 has been set.
I've taken care of the cancellation for you.
I've changed it to Thursday at noon.
Your details have been saved.
I've asked a colleague to help you.
The team has been notified.
You'll hear from us soon.
We'll phone you this afternoon.
Everything is confirmed for Tuesday.
¡Perfecto, Ana! Tu limpieza quedó agendada para el martes a las 10:00 con la Dra. Soto.
Tu cita con la Dra. Soto ha sido confirmada.
Ya tienes tu cita para el jueves a las 4.
Listo, tu limpieza está reservada.
He agendado la limpieza para el lunes.
¡Excelente! Te espero el viernes, ya está todo confirmado.
Tu consulta del martes ha sido cancelada con éxito.
He procedido a cancelar tu cita.
Hecho, tu cita del martes ya está cancelada.
Ya moví tu consulta al miércoles a las 9.
Tu nueva cita es el jueves a las 12, ya quedó el cambio.
Cambié tu cita al viernes como pediste.
Tu cita se ha reprogramado para el lunes.
Ya registré tu correo electrónico.
Gracias, Ana, ya anoté tu nombre.
He tomado nota de tus preferencias.
Te voy a comunicar con una persona de nuestro equipo.
Ahora mismo te transfiero con un asesor.
Ya le avisé al equipo, te escriben pronto.
He notificado a recepción para que te ayuden.
Te devolveremos la llamada hoy mismo.
Un compañero se pondrá en contacto contigo.
Great news, your cleaning with Dr. Soto is scheduled for Tuesday at 10 AM.
I have you down for Thursday at 4.
I've successfully scheduled your visit.
Your cleaning has been cancelled successfully.
I've now cancelled the appointment for you.
Your appointment was successfully moved to Friday.
I have rescheduled you to Monday at 9.
Thanks Ana, I've saved your email address.
I've forwarded this to our team.
I am connecting you to one of our agents.
A member of our team will contact you shortly.
We will get back to you as soon as possible.
I will have someone call you.
Todo listo: tu cita es el martes y ya está reservada.
Ya te dejé agendada para el jueves.
Tu hora con el doctor ya quedó.
Acabo de agendar tu cita.
Acabo de cancelar tu cita.
Se agendó tu cita para el lunes.
Se canceló tu cita.
Tu cita se movió al jueves.
Tu cita ya está lista para mañana a las 9.
Ya hice el cambio de tu cita.
He realizado tu reserva.
La cita está hecha.
Le pedí a un compañero que te contacte.
En un momento te atiende una persona.
Una persona del equipo te responderá pronto.
Te pondré en contacto con un especialista.
Registré tu correo.
Guardamos tu nombre, gracias.
Te esperamos el martes a las 10, cita confirmada.
Tu lugar está asegurado.
I have successfully booked your cleaning.
Your cleaning is booked for Tuesday.
Your slot is reserved.
I put you in for Monday at 3.
Your visit on Friday has been cancelled as requested.
I've gone ahead and cancelled it.
I switched your appointment to Friday.
Your new time is set for Friday at 3.
We'll give you a call.
Someone from our team will reach out to you.
I'm handing you over to a human.
I added your email to your file.
I've put a note on your file.
Let me transfer you now.
Expect a call from us today.
`
  .trim()
  .split("\n");
