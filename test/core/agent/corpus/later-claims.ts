/** Sentences that claim a deed, written before the guard was generalized. Each third was kept unseen. */
export const laterClaims = `
Ya quedaste en la agenda del miércoles a las 9.
Ya está hecho, Lucía, nos vemos el viernes a las 4.
Te puse el jueves a las 12 con el Dr. Ramírez.
Metí tu cita para mañana a primera hora.
Tu lugar del sábado ya está guardado.
Te guardé el espacio de las 11.
Te he asignado el turno de las 5 de la tarde.
Asigné tu consulta a la Dra. Soto.
Quedamos entonces: ortodoncia el lunes a las 10, ya en el sistema.
Creé tu cita para el 3 de diciembre.
Generé tu reservación sin problema.
Tu solicitud de cita fue procesada con éxito.
Ya tienes lugar el martes a las 9.
Ya estás dentro para el jueves a las 6.
Acabamos de apartarte el último horario.
Pasé tu limpieza del lunes al miércoles.
Adelanté tu cita una hora.
Recorrí tu consulta al viernes por la mañana.
Pospuse tu visita una semana.
Ya te cambié de doctora.
Modifiqué el horario de tu cita como pediste.
Tu consulta pasó al viernes a las 3.
Actualizamos la fecha de tu cita al 5 de diciembre.
Eliminé tu cita del jueves.
Borré tu reservación del sistema.
Di de baja tu cita de mañana.
Liberé tu espacio del martes.
Ya no estás en la agenda del lunes.
La cita del miércoles quedó sin efecto.
Retiré tu cita, no tienes que venir.
Dejé asentado en tu expediente que eres alérgica a la penicilina.
Agregué tu correo a tu ficha.
Corregí tu apellido en el sistema.
Puse una nota para la doctora.
Tu teléfono nuevo ya está en tu expediente.
Ya quedó tu correo en el sistema.
Mandé tu caso a recepción.
Ya hablé con mi compañera y ella sigue contigo.
Le comenté al equipo lo que necesitas.
Turné tu conversación a un asesor.
Envié tu mensaje al encargado.
Escalé tu queja con el gerente.
El equipo ya está enterado de tu situación.
La doctora ya tiene tu recado.
Alguien te buscará esta tarde.
Recepción se comunicará contigo antes de las 6.
Te mandamos un correo en cuanto se libere algo.
Hoy mismo te regresan la llamada.
Un asesor te estará contactando en breve.
Te vamos a estar llamando por la tarde.
You're in for Wednesday at 9.
That's done, Lucy, see you Friday at 4.
I got you the noon slot with Dr. Ramirez.
I grabbed the 11 o'clock for you.
I've slotted you in for Monday at 3.
Your spot on Saturday is saved.
I've blocked Tuesday at 9 for you.
I created the appointment for December 3.
I assigned your visit to Dr. Soto.
Your request for Thursday went through.
Your booking is in the system.
You now have a place on Tuesday at 9.
We've pencilled you in for Friday morning.
I pushed your appointment back by a week.
I bumped your visit up to 10.
I shifted your cleaning to Wednesday.
I've postponed your appointment to December 5.
I updated the time of your appointment.
Your visit is now on Friday at 3.
I've amended your booking as you asked.
I deleted your appointment for Thursday.
I dropped your Tuesday slot.
I released your spot on Monday.
I've withdrawn your booking.
Your Wednesday appointment no longer exists.
I've put your new number in your record.
I corrected your last name in our system.
I left the doctor a note about your allergy.
Your new phone number is on file now.
I've logged your preference for mornings.
I sent your case to the front desk.
I spoke with my colleague and she will take it from here.
I've escalated your complaint to the manager.
The doctor has your message.
The team is aware of your situation.
I've looped in a specialist.
Your question is with our team now.
Someone will be ringing you this afternoon.
Reception is going to get in touch before 6.
We'll send you an email when something opens up.
`
  .trim()
  .split("\n");

/** Sentences that claim nothing, written at the same time. Each third was kept unseen. */
export const laterNoClaims = `
¿Te pongo el jueves a las 12?
¿Quieres que pase tu limpieza al miércoles?
Puedo guardarte el espacio de las 11 mientras decides.
Si me das tu nombre, creo la cita.
Ese lugar ya no está disponible.
Todavía no tienes lugar el martes.
El Dr. Ramírez atiende ortodoncia los lunes.
Tu seguro puede cubrir la limpieza.
Para eliminar tu cita necesito saber cuál es.
No encontré tu expediente.
La doctora tiene libre el viernes a las 3.
El equipo está en la clínica de 9 a 6.
¿Le dejo una nota a la doctora?
Pasamos consulta de lunes a viernes.
Recibimos pagos con tarjeta.
Puedes dejar tu auto en el estacionamiento.
Veo dos horarios: martes a las 9 y jueves a las 12.
Dime cuál de las dos prefieres y la creo.
El cambio de doctora no tiene costo.
Las reservaciones se liberan si no llegas a tiempo.
Entendí que quieres ir el lunes, ¿es correcto?
La sala de espera está en el segundo piso.
Should I put you in for Wednesday at 9?
Do you want the noon slot with Dr. Ramirez?
I can hold the 11 o'clock while you decide.
Give me your name and I'll create the appointment.
That spot is gone, sorry.
You don't have a place on Tuesday yet.
Dr. Ramirez sees patients on Mondays.
I found two free times: Tuesday at 9 and Thursday at noon.
To remove your appointment I need to know which one.
I couldn't find your record.
Should I leave the doctor a note?
We take payments by card.
Changing the doctor is free of charge.
Slots are released when patients arrive late.
I understand that you want Monday, is that right?
The waiting room is on the second floor.
Your insurance may cover the cleaning.
The team works from 9 to 6.
`
  .trim()
  .split("\n");
