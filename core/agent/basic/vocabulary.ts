import {
  monthNumbers,
  numberWords,
  otherDateWords,
  partWords,
  weekdayNumbers,
} from "./date-words.ts";
import { intentWords } from "./intents.ts";
import { createCorrector, listWords, type Word } from "./text.ts";

// Words of either language that are a letter or two away from a word of the vocabulary. They are no
// typos: "tengo cáncer" cancels nothing, and "todas" is not "today".
const guarded = new Set(
  (
    "abrimos abrio abrir actuar adonde ahora andes anoche arent barra basado basta batch " +
    "being bello bienes blame book books boot boring bother bright cable called calls cambia " +
    "cambie cambios campos cancer carcel carta casado casas centre chance charge charged " +
    "chico chose ciento cinta cintas circo clara clark claros clase cobro coche coches " +
    "comento corre correa correr corta corte corto could cover crece cuadro cuanta " +
    "cuanto cuantos cueva dando danos darse dates debes dejado deserve desperate dices " +
    "dinero dominio donde duelo either enter entero entire esperan esperar entra entran extra feria fever " +
    "fifth fight firma forgot forma forth fuego funny gatos genero gente guitar haber hables " +
    "hacia hagan hagas hasta haven hayan hayas hecha hechas height hello hemos hojas holds " +
    "holes hombre honra horas horno horse house hueso huesos huevo huevos joder juego " +
    "jugar julia junior junta junto juntos kinda knight laguna laser later latter layer " +
    "leche libras libro libros light limon linea lista listo lleno look looks losing " +
    "loved lover luces major manage managed mangana manos manzana marca marcar marcha marco " +
    "mario marta marte martha masas match medias medida medina medir mejora mexico money " +
    "monte month months monto morado mother mouth moverla muere mueren mundo nacer nearly " +
    "nieve night noble nueva nuevo nuevos ochos offers officer olvidado olvidar olvide " +
    "olvido padre pagado pagan pagar papas parado parar parque parte parto party pasada " +
    "pasados paseo pasos pasta patas patch perdona personal personas pesado pista plaza " +
    "pleased pobre podamos poner pounds powder power preserve prueba puedan puedas puedes " +
    "queen queja querer querida quiera quieran quieras quiere quieren quiet quinta quita " +
    "quite quito ramos reach refiero reglas revista right round rounds rueda sabido sacado " +
    "score seeks seguia seguido seguira sello shirt shore siente sienten siento siria " +
    "sports staring steven stole stone storm story suenos sugar swift tabla table tarda " +
    "tardan tardo tasas tengan tengas tenis thank their theme there these thing think those " +
    "though threat threw tienda tierra tocar todas torno trade trece trenes truth valle " +
    "veces venga vengan vengo venia verde vienen vierte vista watch water weeks weight were " +
    "where while whole words world worry worth would wound wright write wrote"
  ).split(" "),
);

const vocabulary = [
  ...weekdayNumbers.keys(),
  ...monthNumbers.keys(),
  ...numberWords.keys(),
  ...partWords.keys(),
  ...otherDateWords.split(" "),
  ...intentWords,
];

const correct = createCorrector(vocabulary, guarded);

/** The words of a text, with typos in words that the agent knows mended. */
export function readWords(text: string): Word[] {
  return listWords(text).map((word) =>
    word.kind === "word" ? { ...word, text: correct(word.text) } : word,
  );
}
