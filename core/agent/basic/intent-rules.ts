/** Wishes that the built-in agent knows. */
export type Intent =
  | "person"
  | "cancel"
  | "move"
  | "otherTime"
  | "mine"
  | "book"
  | "contact"
  | "hours"
  | "services"
  | "agendas"
  | "address"
  | "forget"
  | "repeat"
  | "thanks"
  | "goodbye"
  | "greet"
  | "yes"
  | "no"
  | "hedge"
  | "keep";

export interface Rule {
  intent: Intent;
  /**
   * Phrases, one a line, folded. `a|b` are alternatives, `a~` is the start of a word, `*` stands for
   * up to three words, `^` and `$` for the ends of a sentence.
   */
  phrases: string;
  /** Phrases with which the rule does not hold. */
  unless?: string;
}

/** Phrases of a customer who wants an appointment not to be cancelled. */
export const refusedCancels = `
      no|nunca la|lo|las|los|me|nos cancel~|anul~
      no me|nos|se la|lo|las|los cancel~|anul~
      no vayas|vayan|vaya a cancel~|anul~`;

export const rules: readonly Rule[] = [
  {
    intent: "person",
    phrases: `
      hablar|habla|platicar|comunicarme|comunicar|contactar * con|a * alguien|persona|humano|asesor|asesora|agente|ejecutivo|encargado|encargada|gerente|recepcionista|recepcion|dueno|duena|operador|ustedes|doctor|doctora|mecanico|vendedor|alguno
      pasame|comunicame|pasenme|comuniquenme|ponme|transfiereme * con|a
      me pasas|comunicas|pasa|comunica|transfieres|pueden|puedes * con|a * alguien|persona|humano|asesor|encargado|encargada|recepcion|doctora|doctor|gerente
      persona|humano real|verdadera|verdadero|fisica
      persona de verdad
      quiero|necesito|prefiero|dame|mejor * una|un|alguna persona|humano|asesor|asesora|ejecutivo
      que me atienda|conteste|llame|marque|llamen|marquen * una|un|alguien
      me puede|pueden|puedes llamar|marcar
      que me llamen|llame|marquen|marque
      ^ humano|asesor|persona|ejecutivo|operador|agente $
      eres|es * robot|bot|maquina * quiero|necesito|pasame
      no quiero * bot|robot|maquina
      hay alguien|algun * ahi|humano|asesor
      talk|speak|chat|connect * to|with * someone|somebody|person|human|agent|representative|manager|owner|receptionist|staff|doctor|mechanic|anyone
      real|actual|live person|human|agent
      ^ human|agent|representative|operator $
      human|person please
      a human
      get|want|need|give * a person|human|representative|operator
      can someone|somebody call|help|phone|ring me
      call me back
      have someone|somebody call
      not|no * bot|robot`,
  },
  {
    intent: "cancel",
    phrases: `
      cancel~|anul~
      eliminar|elimina|borrar|borra|quitar|quita * cita|turno|reserva
      ya no * ir|asistir|llegar|acudir|voy|asistire
      no voy|podre|puedo|vamos|podemos|podremos * ir|asistir|llegar|acudir
      no alcanzo|alcanzare * llegar|ir
      no voy|vamos * poder
      no asistire|ire
      baja * cita
      ya no quiero|necesito|ocupo * cita|turno
      call off
      cant|cannot|wont|not * make it
      cant|cannot|wont * come|attend|go
      cant|cannot make * appointment
      dont need * appointment`,
    unless: `
      politica|politicas
      si cancelo|cancelas|cancela
      cobran|cobra|cuesta|multa|penalizacion|reembolso * cancel~
      cancel~ * cobran|costo|multa|cargo|politica
      no quiero|quise|queria cancel~
      poder pagar|comprar|recoger
      no * cancel~ nada
      no cancel~
      ${refusedCancels}
      cancellation policy|fee|fees|charge
      if i cancel
      dont|not cancel`,
  },
  {
    intent: "move",
    phrases: `
      reagend~|reprogram~|resched~|posponer|pospon|posponerla|postergar|aplazar|aplaza|postpone|recorrer|recorreme
      cambi~|muev~|mover~|mov~|pasar|pasa|pasame|adelant~|atras~|modific~|recorr~ * cita|turno|reserva|reservacion|consulta
      cita|turno|reserva * cambi~|muev~|mover~|pasar|pasarla|pasala|adelant~|atras~|modific~ * otro|otra|a|al|el|para|la
      cambi~|mover|mueve * de dia|hora|fecha|horario
      cambi~|mover|mueve * el|la|mi dia|hora|fecha|horario
      cambiarla|cambiala|moverla|muevela|pasarla|pasala|cambiarme|moverme|adelantarla|adelantala|atrasarla|posponla|moverlo|pasarlo
      me|nos lo|la|los|las cambias|mueves|pasas|cambia|mueve|pasa|cambian|mueven|pasan
      la puedo|puedes|puede|pueden|podria|podrias|podemos cambiar|mover|adelantar|atrasar a|al|para|de
      la puedes|pueden|podrias|podemos pasar al|para
      la cambiamos|movemos|pasamos al|para
      otro dia|horario|hora * cita
      move|change|switch|push|shift|bring * appointment|booking|visit|slot
      appointment|booking * moved|changed|pushed
      move|switch|push|change it
      change|move * day|date|time
      different|another|other time|day * for|instead * appointment|booking|mine`,
    unless: `
      cambi~ * aceite|llanta~|llantas|frenos|balatas|bateria|bujias|filtro|pieza|talla|color|producto|prenda|ropa|articulo
      cambi~ * correo|email|nombre|telefono|numero
      cambios o|y devoluciones
      change|update * email|name|phone|number|oil|tire|tires
      cambiar * vestido|zapatos|pantalon`,
  },
  {
    // A move of one who has an appointment, and a booking of anybody else.
    intent: "otherTime",
    phrases: `
      puedo|podria|podemos|puedes * ir|llegar|pasar|venir mejor|antes
      puedo|podria|podemos|puedes * ir|llegar|pasar|venir mas tarde|temprano
      can|could|may i|we come|arrive * later|earlier|instead`,
  },
  {
    intent: "mine",
    phrases: `
      mis citas|turnos|reservas|reservaciones
      que|cuales citas|cita * tengo
      tengo|tenia|tendre * alguna|una|algun|mi cita|turno|reserva * hoy|manana|pendiente|agendada|programada|semana|registrada|con
      tengo cita|citas
      cuando|hora|dia * es|era|tengo|toca|tenia * cita|turno|consulta|reserva
      cuando|hora|dia * mi cita|turno|consulta|reserva|reservacion
      a que hora es|era|quedo|toca $
      cuando era $
      que dia era $
      what time is|was it|that $
      mi|mis proxima|proximas|siguiente cita|citas
      recuerd~|recordar~ * cita|hora|dia
      ver|consultar|revisar|checar|confirmar|verificar * mi|mis|la cita|citas|turno|reserva
      sigue * en pie * cita
      my|our appointments|bookings
      what|which appointments|bookings * have
      when|what|which * my|our * appointment|appointments|booking|visit
      do i * have * appointment|appointments|booking|anything
      have i got * appointment
      check|see|view|confirm|remind * my appointment|appointments|booking
      my next|upcoming appointment|visit`,
    unless: `
      cancel~
      cambi~|muev~|mover
      move|change|resched~|reagend~|reprogram~
      como|donde|puedo * hacer|hago|sacar|agendar`,
  },
  {
    intent: "book",
    phrases: `
      agend~|reserv~|apart~ * cita|turno|consulta|hora|espacio|lugar|servicio|revision|limpieza
      agendar|agendame|agenda|agendo|agendarme|agendamos|agendas|agenden|reservar|reservame|reservo
      quiero|quisiera|necesito|ocupo|busco|deseo|gustaria|solicito|pido|queria|queremos|urge * cita|turno|consulta|citas|reservacion
      sacar|hacer|pedir|programar|solicitar|conseguir|dar|dame|darme|das|regalas|hago|saco|pido|programa|programame|tomar|generar * cita|turno|consulta|citas
      ^ cita|citas|turno para|con|manana|hoy|el|por|de|en|lo|$
      una|otra|nueva cita|consulta * para|con|manana|hoy|el|por|de|en|lo|$
      tienen|tienes|tendras|tendran|hay|habra|tiene|tendria|queda|quedan|les * cita|citas|espacio|espacios|lugar|lugares|disponible|disponibilidad|disponibles|campo|hueco|libre|huecos|cupo
      tienen|tienes|hay|habra|tiene algo hoy|manana
      tienen|tienes|hay|habra|tiene algo para|el|en|este|esta|libre|mas * hoy|manana|lunes|martes|miercoles|jueves|viernes|sabado|semana|temprano
      disponibilidad|disponible|disponibles para|el|manana|hoy|en|con|de|esta|$
      que|cuales horarios|horario|horas|dias|fechas|citas * disponible|disponibles|libre|libres|tienes|tienen|hay|tendras * para|disponible|disponibles|manana|hoy|el|libre|libres
      me|nos pueden|puede|puedes|podrian|podran|podra|podrias * atender|revisar|recibir|checar|ver * hoy|manana|el|la|lunes|martes|miercoles|jueves|viernes|sabado|a
      pueden|puedes atenderme|recibirme|verme|revisarme
      puedo|podria|podemos|quiero|quisiera|gustaria|puede ir|pasar|llevar|llevarlo|llevarles|llevarlos|llegar|acudir|visitarlos|llevarte * hoy|manana|pasado|el|lunes|martes|miercoles|jueves|viernes|sabado
      puedo|podria|podemos|puede ir|pasar|llevar|llevarlo|llegar * a las
      quiero|quisiera|necesito|gustaria|ocupo que|ver|consultar|ir * doctor|doctora|dra|dr|dentista|medico
      book|schedule|reserve|arrange|make|set * appointment|visit|slot|time|consultation|session|one|cleaning|checkup
      ^ book|schedule
      can|could|may i|we * book|schedule|reserve
      book me|us|a|an
      want|need|like|get|have|id|looking * appointment|appointments|consultation|booking|slot
      an appointment for|with|on|tomorrow|today|this|next|at|please|$
      ^ appointment for|with|on|tomorrow|today|please|$
      have|got|is|there anything today|tomorrow
      have|got|is|there anything for|on|this|next|open|free|available * today|tomorrow|week|monday|tuesday|wednesday|thursday|friday|saturday
      do|have|any|are|is|got * openings|opening|availability|available|slots|free|space|spots|spot
      fit|squeeze|see me|us
      can|could|may i|we * come|bring|drop|stop * tomorrow|today|monday|tuesday|wednesday|thursday|friday|saturday|morning|afternoon|this|next|on|at|in|by
      come|bring * in * tomorrow|today|on|this|next|at
      see * the doctor|dentist|dr|mechanic
      otra cita
      another appointment`,
    unless: `
      cancel~
      resched~|reagend~|reprogram~|posponer|postpone
      mov~|muev~|cambi~|recorr~|adelant~|atras~|aplaz~|pasar * cita
      cita * cambi~|mover|muev~|pasar
      move|change * appointment|booking
      mi|mis|cuando * proxima|es|tengo cita|citas
      tengo|tenia cita|citas|una
      do i * have
      when is|s
      sin cita
      without * appointment
      necesito|need|tengo|hay * que * hacer|sacar cita
      cuesta|cobran|precio|costo|cuanto * cita|consulta
      que * necesito|llevo|llevar * cita
      facebook|garantia
      estacionamiento|parking|wifi
      ya no quiero|necesito|puedo
      no voy|podre
      no puedo|podemos ir|llegar|asistir|pasar
      cant|cannot make`,
  },
  {
    intent: "contact",
    phrases: `
      cambi~|actualiz~|actualic~|modific~|corregir|corrige|agreg~|anot~|registr~|guard~|apunt~ * correo|email|nombre|mail|datos|apellido
      mi correo|email|mail|correos es|electronico
      mi nombre * mal|escrito|correcto|incorrecto
      mi nombre es
      me llamo
      les|te dejo|paso|mando * correo|email|datos|mail
      change|update|correct|fix|add|save|set * email|name|mail|details
      my email|mail is|address
      email is
      my name is|s`,
    unless: `
      a|al|por|enviar|mandar|mandan|envian * mi correo|mail $`,
  },
  {
    intent: "hours",
    phrases: `
      que|cual|cuales|su|sus|el|los|tu|dime|son|de horario|horarios * atencion|trabajo|servicio|manejan|tienen|abren|es|son|$
      ^ horario|horarios
      horario|horarios de|atencion|$
      hora|horas * abren|cierran|abre|cierra|atienden|trabajan|abriran
      abren|cierran|abre|cierra|atienden|trabajan|laboran|abierto|abiertos|abriran|estan * hoy|manana|sabado|sabados|domingo|domingos|lunes|martes|miercoles|jueves|viernes|temprano|festivos|hora
      abren|cierran|abriran $
      estan|esta abierto|abiertos|cerrado|cerrados
      hasta|desde que hora
      dias abren|atienden|trabajan
      cuando|dias * abren|atienden|cierran|trabajan
      opening|business|working|office|your|store|shop|the|are hours
      ^ hours
      hours of operation
      what|when|how * open|close|closed|closing|opening
      are|is|you * open|closed
      open|close on|today|tomorrow|at|sunday|sundays|saturday|saturdays|late`,
    unless: `
      que|cuales horarios|horario * disponible|disponibles|libre|libres
      horario|horarios * disponible|disponibles|libre|libres|cita|citas
      cambi~|mover|mueve
      hora * cita|turno
      entrega|entregas|envio|envios|urgencias|urgencia|delivery|deliver
      your hours * rate|rates
      open * account`,
  },
  {
    intent: "services",
    phrases: `
      que|cuales|cual servicio|servicios|tratamientos|tratamiento|procedimientos|estudios|terapias
      que|cuales son|otros|tipo * servicios|tratamientos
      sus|los|tus servicios
      lista|catalogo|menu * servicios|tratamientos
      que ofrecen|ofreces|hacen|manejan|venden * $
      a que se dedican
      ^ servicios|tratamientos $
      que * puedo agendar
      what|which|your|list|all * services|treatments|procedures
      what * do you|they do|offer|provide $
      ^ services $`,
  },
  {
    intent: "agendas",
    phrases: `
      quien|quienes * atiende|atienden|trabaja|trabajan|atenderia|consulta|consultan|revisa|atendera|hace
      que|cuales|cual|cuantos|otros * doctores|doctor|doctora|doctoras|medicos|especialistas|dentistas|mecanicos|profesionales|tecnicos|agendas|asesores|terapeutas|estilistas
      con quien * cita|atiendo|puedo|agendar|seria|atienden
      con que doctor|doctora|mecanico|especialista|medico
      su|sus|los doctores|especialistas|mecanicos|equipo|medicos
      who * work|works|sees|doctors|doctor|mechanics|available|team|staff|dentists|specialists|treat|treats|attends
      which|what|your|how * doctors|dentists|mechanics|specialists|staff|stylists|therapists|professionals
      who * would|will|can * see`,
    unless: "quien * habla|eres|recoger|recoge",
  },
  {
    intent: "address",
    phrases: `
      donde * estan|esta|quedan|queda|ubicados|ubicado|encuentran|se|encuentra|es|son|puedo|llego|localizados|anda|andan
      direccion|ubicacion|domicilio|ubicados|localizacion
      como llego|llegar|llegamos
      mapa|maps
      en que calle|colonia|zona|parte
      que|cual direccion|sucursal|domicilio
      where * you|your|located|is|find|office|clinic|shop|store|are
      your|the|full|street|what address|location
      ^ address|location
      how * get|find * there|you|to
      directions`,
    unless: `
      email|correo|mail|electronico
      estaciono|estacionar|estacionarme|estacionamiento|park|parking
      pagar|pago|pay|deposito|transfiero|transferir
      como llegar mas
      donde * mi|pedido|paquete
      where * my|order|package
      envio|envios|entrega|domicilio $`,
  },
  {
    intent: "forget",
    phrases: `
      olvidalo|dejalo|olvidala|olvida|olvidelo|dejelo|dejemoslo
      ya nada
      mejor no $
      ^ mejor luego|despues
      ya no $
      ya no quiero|importa $
      no * gracias
      dejalo asi
      no importa
      yo|te|les aviso|confirmo|digo|escribo * luego|despues|mas
      ^ luego|despues * aviso|confirmo|digo|escribo
      forget|leave it
      never mind
      nevermind
      no thanks
      no thank
      not anymore
      maybe later
      some|another other time
      changed my mind
      ^ stop|salir|exit|terminar $`,
    unless: `
      dont forget
      no olvides|olvida~ * algo
      cancel~ * cita
      cita * cancel~`,
  },
  {
    intent: "repeat",
    phrases: `
      repite|repetir|repiteme|repites|repeat
      otra vez * por|me|$
      no entendi|entiendo|comprendo
      ^ como|que $
      como dijiste|dijo|dices
      que dijiste|dijo
      say * again
      ^ what|sorry|pardon|huh $
      didnt|dont|not understand|get|catch|follow
      come again`,
  },
  {
    intent: "thanks",
    phrases: "gracias|agradezco|agradecido|agradecida\nthanks|thank|cheers|appreciate",
  },
  {
    intent: "goodbye",
    phrases: `
      adios|bye|goodbye|chao|chau|byebye
      hasta luego|pronto|manana
      nos vemos|hablamos
      see you|ya
      have a * day|one|night|evening|weekend
      que|pasen|tengan|tenga|pase|ten * buen|bonito|excelente|linda|buena * dia|tarde|noche|fin`,
  },
  {
    intent: "greet",
    phrases: `
      hola|hello|hi|hey|saludos|holis|buenas
      buenos|buen dias|dia|tardes|noches
      que tal|onda
      good morning|afternoon|evening|day`,
    unless:
      "que|pasen|tengan|have|tenga * buen|bonito|excelente|good * dia|day|tarde|noche|evening",
  },
];
