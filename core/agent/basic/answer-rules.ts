import { refusedCancels, type Rule } from "./intent-rules.ts";

/** Words with which customers answer a question of yes or no. */
export const answerRules: readonly Rule[] = [
  {
    intent: "yes",
    phrases: `
      ^ si
      si $
      ^ claro|ok|okay|okey|okei|va|vale|sale|dale|correcto|confirmo|confirmado|perfecto|exacto|adelante|afirmativo|simon|andale|porfa|porfavor|seguro|obvio|confirmar|confirma|bueno
      de acuerdo
      esta|me bien|perfecto
      asi es|esta
      me parece|late|queda|sirve|funciona
      por supuesto
      ^ por favor
      eso es
      sale y vale
      ^ yes|sure|ok|correct|right|confirm|confirmed|great|fine|perfect|absolutely|definitely|exactly
      ^ please $
      sounds|looks good|great|right|fine
      go ahead
      works for
      that works
      please do
      do it
      i confirm|do $
      yes please`,
    unless: `
      si hay|tienen|puedo|tengo|es|no|me|se|cancelo|el|la
      no * me|esta|queda|parece|sirve
      doesnt|not|dont * work|works|good|sound
      ^ what|how|que|donde`,
  },
  {
    intent: "no",
    phrases: `
      ^ no
      ^ nel|negativo|incorrecto|nunca|tampoco|ninguno|ninguna|neither|none
      mejor no
      para nada
      no $
      no me queda|sirve|late|acomoda|parece|funciona
      ^ not
      doesnt|dont|not work|good|right
      none of
      esta mal
      thats wrong`,
    unless: `
      ^ no tienen|tienes|hay|se|entiendo|entendi|tendras|habra|olvides|voy|podre|puedo|abren|aceptan
      no problem
      no hay problema|bronca`,
  },
  {
    // A yes with one of these is no consent yet.
    intent: "hedge",
    phrases: `
      pero|aunque|but|although|however
      mejor con|a|al|el|la|en|para|otro|otra|mas|por|manana|no
      mas|un tarde|temprano|noche
      later|earlier
      otro|otra|another|different dia|hora|horario|fecha|doctor|doctora|time|day|date|one
      dejame|dejeme|deja|deje|permiteme|permitame ver|verlo|veo|checar|checarlo|checo|revisar|revisarlo|reviso|preguntar|preguntarle|pregunto|pensar|pensarlo|pienso|consultar|consultarlo|consulto|confirmar
      let me check|see|think|ask|look|confirm|talk
      al rato
      luego te|le|les|lo|la aviso|digo|confirmo|veo|checo|escribo|llamo|marco
      espera|esperame|espere|espereme|esperate
      ^ wait
      wait a|$
      hold on
      un|dame|deme|one|a|just momento|momentito|segundo|moment|second|sec|minuto|minute
      te|les|le aviso|digo
      lo|la pienso|checo|consulto|reviso|veo
      no se $
      no se todavia|aun|si|cual|cuando|bien
      no estoy seguro|segura
      no puedo|podre|podria|alcanzo
      not sure
      cant|cannot|dont know
      ill let you know
      tal vez
      quiza|quizas|maybe|perhaps`,
    unless: "al rato nos",
  },
  {
    intent: "keep",
    phrases: `
      no|nunca cancel~|anul~
      ${refusedCancels}
      no quiero|quiere|quisiera|deseo|queria cancel~|anul~
      dont|not|never cancel
      dont|not want|wish * cancel`,
    unless: "no * cancel~ nada",
  },
];
