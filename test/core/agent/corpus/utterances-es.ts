/**
 * Bursts as customers of a clinic, a workshop and a shop write them, with typos, slang and dictated
 * voice. A line holds the text, its wishes, and the days and times in the notation of `dates.ts`.
 */
export const spanishUtterances = `
hola buenas tardes | greet
Hola!! | greet
buenos días | greet
buen dia, disculpe | greet
qué onda, buenas | greet
holaaa | greet
ola buenas | greet
hola qué tal | greet
muchas gracias | thanks
grax | thanks
mil gracias por la ayuda | thanks
se lo agradezco mucho | thanks
ok gracias | thanks, yes
gracias, hasta luego | thanks, goodbye
adiós | goodbye
nos vemos mañana | goodbye | 11-25
bye | goodbye
que tenga buen día | goodbye
hasta luego gracias | goodbye, thanks
quiero hablar con una persona | person
me pasas con un asesor | person
necesito que me atienda alguien real | person
pásame con el encargado por favor | person
hay alguien ahí? quiero hablar con alguien | person
puedo hablar con la doctora? | person
comunícame con recepción | person
no quiero hablar con un robot | person
asesor | person
que me llamen por favor | person
quiero platicar con un humano porfa | person
me pueden marcar? | person
quisiera hablar con el dueño del taller | person
quiero una cita | book
kiero una cita porfa | book
hola quisiera agendar una cita para limpieza dental | greet, book
necesito cita para mañana a las 5 | book | 11-25 17:00
me urge una consulta hoy | book | 11-24
tienen espacio para el jueves? | book | 11-26
tienes lugar mañana en la tarde | book | 11-25 afternoon
hay citas disponibles para esta semana | book | 11-24..11-29
quiero reservar para el sábado a las 10 | book | 11-28 10:00
me agendas una limpieza el viernes por la mañana | book | 11-27 morning
agéndame para el lunes que viene | book | 11-30
qué horarios tienes disponibles el miércoles? | book | 11-25
puedo llevar mi carro el lunes a las 9? | book | 11-30 09:00
quiero apartar una cita para servicio del coche | book
me pueden revisar los frenos mañana? | book | 11-25
puedo ir hoy en la tarde? | book | 11-24 afternoon
cita para ortodoncia | book
una cita con la doctora soto porfavor | book
quiero sacar cita para mi hijo el próximo sábado | book | 11-28
me gustaría hacer una cita para pasado mañana a las 4 de la tarde | book | 11-26 16:00
buenas quiero agendar cita con el doctor ramirez para el 27 | greet, book | 11-27
ocupo una cita lo antes posible | book | 11-24..
qiero una sita para el juebes | book | 11-26
kiero ajendar una cita | book
necesito una consulta general el martes a las diez y media | book | 12-01 10:30
me pueden atender hoy a las 6? | book | 11-24 18:00
cuándo tienen espacio para limpieza | book
quiero cita entre las 10 y las 12 del viernes | book | 11-27 10:00-12:00
quisiera ver al doctor mañana | book | 11-25
cita para afinación el jueves a primera hora | book | 11-26
hola, tendrán disponibilidad el 3 de diciembre | greet, book | 12-03
oye tienes algún hueco el viernes después de las 5 | book | 11-27 17:00-24:00
quiero programar una cita | book
me das cita para el lunes a las 11 por favor | book | 11-30 11:00
hola buenas tardes quisiera saber si me pueden dar una cita para el miercoles en la mañana | greet, book | 11-25 morning
quiero otra cita | book
necesito que me revisen la muela quiero cita hoy mismo | book | 11-24
busco cita para dos personas el domingo | book | 11-29
puedo pasar mañana a las 12? | book | 11-25 12:00
quiero cancelar mi cita | cancel
cancela mi cita del viernes | cancel | @11-27
necesito cancelar la cita de mañana por favor | cancel | @11-25
ya no voy a poder ir | cancel
ya no puedo ir mañana | cancel | !11-25
no voy a poder asistir a mi cita | cancel
kiero canselar mi cita | cancel
cancelar | cancel
podrían cancelar mi cita del jueves, me enfermé | cancel | @11-26
no podré llegar a la cita | cancel
quisiera anular mi reserva | cancel
ya no quiero la cita | cancel
disculpe tengo que cancelar | cancel
quiero cambiar mi cita | move
puedo mover mi cita al viernes? | move | 11-27
necesito reagendar | move
se puede reprogramar la cita para el lunes | move | 11-30
cambiar mi cita del jueves para el viernes a las 5 | move | 11-27 17:00 @11-26
quiero mover mi cita del martes al jueves a las 5 | move | 12-01..12-03 17:00
me puedes cambiar la hora de mi cita | move
puedo pasar mi cita para otro día | move
reagéndame para la próxima semana porfa | move | 11-30..12-06
quisiera posponer mi cita | move
puedo adelantar mi cita? | move
cámbiala para el sábado | move | 11-28
quiero recorrer mi cita una hora | move
muéveme la cita a las 4 | move | 16:00
necesito cambiar de día mi cita | move
quiero rejendar mi cita | move
cuándo es mi cita? | mine
a qué hora es mi cita | mine
qué citas tengo | mine
tengo cita mañana? | mine | 11-25
me recuerdas mi cita | mine
mis citas | mine
cuál es mi próxima cita | mine
quiero confirmar mi cita | mine
tengo alguna cita pendiente? | mine
a qué hora tengo cita el jueves | mine | 11-26
mi correo es ana.lopez@ejemplo.com | contact
quiero cambiar mi correo | contact
actualicen mi email por favor: luis@ejemplo.mx | contact
mi nombre está mal escrito | contact
les dejo mi correo pepe_99@correo.com | contact
me llamo Fernanda Ruiz | contact
anota mi correo maria@ejemplo.org | contact
mi nombre es Mayo González | contact
quiero corregir mi nombre | contact
a qué hora abren? | hours
qué horario tienen | hours
horarios? | hours
abren los domingos? | hours | 11-29
están abiertos hoy? | hours | 11-24
hasta qué hora atienden | hours
a q hora cierran | hours
cuál es su horario de atención | hours
qué días trabajan | hours
abren el sábado? | hours | 11-28
a que ora abren mañana | hours | 11-25
siguen abiertos a esta hora? | hours
qué servicios ofrecen? | services
qué servicios tienen | services
cuáles son los tratamientos que manejan | services
me pasas la lista de servicios | services
que hacen ahi | services
servicios | services
qué otros servicios dan | services
quién atiende? | agendas
qué doctores tienen | agendas
con quién sería la cita | agendas
cuántos mecánicos son | agendas
qué especialistas hay | agendas
quiénes trabajan ahí | agendas
dónde están ubicados? | address
cuál es la dirección | address
me mandas tu ubicación porfa | address
cómo llego a la clínica | address
dónde queda el taller | address
en qué calle están | address
direccion | address
donde se encuentran | address
olvídalo | forget
déjalo así | forget
no gracias | forget, no, thanks
mejor no | forget, no
ya no, gracias | forget, thanks
luego te aviso | forget
no importa | forget, no
cómo? | repeat
no entendí | repeat
puedes repetir por favor | repeat
otra vez por favor | repeat
qué dijiste | repeat
sí | yes
si por favor | yes
claro que sí | yes
va | yes
ok perfecto | yes
sale | yes
de acuerdo | yes
está bien | yes
sí, confirmo | yes
simón | yes
me parece bien | yes
así está bien gracias | yes, thanks
no | no
no, mejor el jueves | no | 11-26
no me queda ese día | no
nop | no
no, así no | no
ninguna | no
cuánto cuesta la limpieza? |
aceptan tarjeta? |
tienen estacionamiento |
hacen envíos a monterrey? |
me duele mucho una muela |
tienen talla mediana? |
dan factura |
precio del cambio de aceite |
cuánto tarda el servicio |
venden al mayoreo |
quiero cambiar el aceite de mi carro |
cuál es la política de cancelación |
cobran si cancelo la cita |
hacen cambios o devoluciones |
manejan meses sin intereses |
traigo un ruido en el motor |
mi pedido no ha llegado |
tienen el vestido en rojo |
cuánto vale y a qué hora abren? | hours
hola, dónde están y qué horario tienen? | greet, address, hours
quiero una cita para el jueves y cuánto cuesta la consulta | book | 11-26
gracias, otra pregunta, aceptan tarjeta? | thanks
cancelo la del jueves y agéndame otra para el lunes | cancel, book | 11-30 @11-26
hola soy Ana y quiero cita mañana a las 9 | greet, book | 11-25 09:00
`;
