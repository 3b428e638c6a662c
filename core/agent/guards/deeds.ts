/** Deeds that a reply may claim. `state`: an appointment exists. `deed`: anything that was done. */
export type ClaimKind =
  | "state"
  | "book"
  | "move"
  | "cancel"
  | "note"
  | "transfer"
  | "call_back"
  | "deed";

/** A pattern of a claim, over folded text, or over text with its accents. */
export interface ClaimPattern {
  kind: ClaimKind;
  folded?: string;
  accented?: string;
}

// A reply that says "I did" in any words claims a deed. So the general forms below take every verb
// in the first person of the past, and leave out the few by which an agent only reads or talks.
const readingEs =
  "encontr|entend|comprend|revis|le|o|busqu|consult|recib|intent|pens|olvid|equivoqu|ofrec|mencion|pregunt|not|llegu|expliqu|conoc|mostr|compart|enseñ|suger|recomend|comet|confund|conteste?|respond|detect|verifiqu";
const readingParticiplesEs =
  "encontrado|visto|entendido|comprendido|revisado|leido|buscado|consultado|recibido|podido|mostrado|compartido|sugerido|recomendado|cometido|confundido|verificado|intentado|pensado|olvidado|equivocado|ofrecido|mencionado|preguntado|notado|sido|estado|tenido|explicado|sabido|oido|dicho";
const readingEn =
  "found|saw|seen|checked|looked|read|received|understood|tried|needed|wanted|noticed|offered|listed|mentioned|hoped|thought|searched|missed|meant|said|asked|heard|reviewed|misunderstood|suggested|recommended|shared|showed|forgot|mixed|confused|replied|answered|verified|realized|got your|made an? (?:mistake|error)|gave you the wrong|took a look|told you|took another look|apologi[sz]ed|explained|assumed|got it|got that|failed|been|had|used|learned|closed|opened";

// Results that nobody of ours has made.
const notOursEs =
  "ocupad|tomad|cerrad|permitid|incluid|ubicad|relacionad|limitad|pensad|basad|agotad|cubiert|pedid|solicitad|aceptad";
const notOursEn =
  "needed|required|included|offered|located|closed|occupied|limited|allowed|accepted|covered|based|interested|related|priced|recommended|designed|shared|used";

const object = String.raw`(?:citas?|reserva(?:cion)?(?:es)?|consultas?|visitas?|turnos?|espacios?|lugar(?:es)?|hora(?:rio)?s?|limpiezas?|sesion(?:es)?|solicitud(?:es)?|registro|correo|telefono|numero|nombre|apellido|datos|mensaje|recado|caso|queja|peticion|cambio|fecha)`;
const own = String.raw`\b(?:tu|su|tus|sus|la|el|mi) (?:\w+ )?${object}(?: \w+){0,4}?`;
const objectEn = String.raw`(?:appointments?|bookings?|reservations?|visits?|slots?|spots?|times?|places?|cleaning|session|requests?|email|phone|number|name|details|message|case|complaint|question|change)`;
const ownEn = String.raw`\b(?:your|the|that) (?:\w+ ){0,2}?${objectEn}(?: \w+){0,4}?`;
const person = String.raw`(?:el equipo|la doctora|el doctor|recepcion|mi companer[oa]|un asesor|una asesora|alguien|el encargado|la encargada|el gerente|una persona|la gerencia)`;
const personEn = String.raw`(?:the|our|my) (?:team|doctor|staff|manager|colleague|front desk|reception|supervisor)`;
const writingStems = String.raw`(?:re)?(?:agend|reserv|apart|program|registr|confirm|asign|bloque|coloc|mov|cambi|modific|pospus|cancel|anul|elimin|borr|liber|retir|anot|apunt|guard|actualiz|agreg|correg|transfer|comunic|canaliz|deriv|turn|escal|envi|mand|avis|notific|inform|pas)`;

/** General forms of deeds: any verb in the first person of the past, results, and promises. */
export const deedPatterns: readonly ClaimPattern[] = [
  {
    kind: "deed",
    accented: String.raw`(?<!\p{L})(?!(?:${readingEs})(?:é|í)(?!\p{L}))(?!(?:qué|sé|té|café|así|aquí|ahí|allí|sí|mí|esté|dé|bebé|porqué|josé|andré|noé|jamás)(?!\p{L}))(?:\p{L}+(?<![aei]r)é|\p{L}{2,}í|\p{L}*(?:retir|liber|separ|gener|incorpor|prepar)é)(?!\p{L})`,
  },
  {
    kind: "deed",
    folded: String.raw`\b(?:puse|hice|di de (?:alta|baja)|pospuse|propuse el cambio|deje (?:asentad|list|hech|fij|en)\w*)\b|\b(?:ya|te|la|lo|le) (?:\w+ )?${writingStems}(?:amos|imos)\b|^(?:\w+ )?${writingStems}(?:amos|imos) (?:tu|su|el|la) ${object}`,
  },
  {
    kind: "deed",
    folded: String.raw`\b(?:he|hemos) (?:\w+ )?(?!(?:${readingParticiplesEs})\b)(?:\w+(?:ado|ido)|hecho|puesto|escrito|resuelto)\b|\b(?:acabo|acabamos) de (?!(?:revisar|ver|leer|consultar|encontrar|recibir|buscar)\b)\w+r(?:te|le|la|lo|los|las|nos)*\b`,
  },
  {
    kind: "deed",
    folded: String.raw`${own} (?:ya )?(?:esta|estan|quedo|quedaron|fue|fueron|ha sido|han sido) (?:ya )?(?!(?:${notOursEs})[oa]s?\b)(?:\w+(?:ad|id)[oa]s?|hech[oa]s?|list[oa]s?|en (?:el|tu|su|la)|a tu nombre|con (?:el equipo|recepcion))|${own} (?:ya )?(?:paso|cambio) (?:al?|para) |\bya quedo (?:tu|su|el|la) `,
  },
  {
    kind: "state",
    folded: String.raw`\bya (?:estas|quedaste|quedas|apareces) (?:\w+ )?(?:en|dentro|para|con)\b|\bya tienes (?:tu |un |el )?(?:lugar|espacio|turno|horario)|\bya esta (?:todo )?(?:hecho|listo|en el sistema)\b|\bquedaste en la agenda|\bya en el sistema\b`,
  },
  {
    kind: "cancel",
    folded: String.raw`\bya no (?:estas|apareces) (?:en|para)\b|${own} ya no (?:existe|esta)\b|${own} quedo sin efecto|${ownEn} no longer exists?\b`,
  },
  {
    kind: "transfer",
    folded: String.raw`${person} ya (?:esta|tiene|sabe|recibio|conoce)\b`,
    accented: String.raw`(?:hablé|platiqué) con|(?:comenté|dije|conté) (?:al|a la|a mi) `,
  },
  {
    kind: "call_back",
    folded: String.raw`${person}(?: \w+){0,2}? (?:te|se|le) (?:\w+ra|\w+ran|va a|estara)\b|\b(?:te|le) (?:vamos|voy|va|van) a estar \w+ndo|\b(?:te|le) (?:mand|envi)(?:o|a|amos|an|are|aremos|ara|aran) (?:un |una |la |el )?(?:correo|mensaje|confirmacion|recordatorio|aviso)|\b(?:te|le) (?:regres|devuelv)(?:o|a|amos|an|are|aremos|ara|aran) la llamada|\b(?:te|le) busca(?:n|ra|ran|remos)?\b`,
  },
  {
    kind: "deed",
    folded: String.raw`\bi(?: have| had| just| already| also| now| then| successfully|'ve| went ahead and| gone ahead and)* (?!(?:${readingEn})\b)(?:\w{3,}ed|put|sent|spoke|told|gave|made|set|took|wrote|let|left|got|withdrawn|written|given|taken|made|done|spoken|brought|held)\b`,
  },
  {
    kind: "deed",
    folded: String.raw`\bwe(?: have|'ve| just| already)+ (?:\w+ly )?(?!(?:${readingEn})\b)(?:\w{3,}ed|put|sent|told|made|set|taken|written|got)\b|\bwe \w{3,}ed (?:you|your|it for you)\b`,
  },
  {
    kind: "deed",
    folded: String.raw`${ownEn} (?:(?:is|are|was|were|has been|have been|'s)(?: now| all| already| successfully)* (?:(?!(?:${notOursEn})\b)\w+ed|in (?:the|our)|on (?:file|record|\w+day)|with (?:our|the)|safe|done|gone)|went through)\b|\b(?:that|it|everything)(?: is|'s)(?: all| now)? (?:done|taken care of|sorted)\b`,
  },
  {
    kind: "state",
    folded: String.raw`\byou(?: are|'re)(?: now| all)? (?:in|down|on)(?: the (?:book|list|calendar|schedule))? (?:for|on|with)\b|\byou (?:now|already) have (?:a|your|the) (?:\w+ )?${objectEn}`,
  },
  {
    kind: "transfer",
    folded: String.raw`${personEn} (?:is aware|(?:already )?(?:has|have|got) (?:your|the|it)|knows?)\b`,
  },
  {
    kind: "call_back",
    folded: String.raw`\b(?:someone|somebody|reception|we|i|they|${personEn})(?: will|'ll| is going to| are going to)(?: also| then)? (?:be \w+ing|get in touch|send|notify|update|ping|reach|drop you)\b`,
  },
];
