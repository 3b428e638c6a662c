import { stemmer as englishStemmer } from "@orama/stemmers/english";
import { stemmer as portugueseStemmer } from "@orama/stemmers/portuguese";
import { stemmer as spanishStemmer } from "@orama/stemmers/spanish";
import { fold } from "./basic/text.ts";

const stemmers: Record<string, (word: string) => string> = {
  es: spanishStemmer,
  en: englishStemmer,
  pt: portugueseStemmer,
};

// Words that tell nothing of a question's subject.
const stopWords = new Set(
  (
    "a al algo alguna alguno ante aqui asi aun con de del desde el ella ellos en entre era es esa ese eso esta " +
    "este esto estan estas fue ha hay hola buenas buenos dia dias tardes noches gracias porfa favor por la las " +
    "le les lo los me mi mis muy nos o para pero porque pues que q se ser si sin sobre son su sus te ti tu tus " +
    "un una uno unos y ya yo oye oigan disculpa disculpe perdon quiero quisiera queria saber pregunta preguntar " +
    "informacion info puedo puede pueden puedes podria podrian tienen tiene tienes tengo cual cuales como quien " +
    "hacer hace hacen dan dar ustedes usted alla ahi tambien entonces mas todo toda todos todas cada solo nada " +
    "necesito hago haces algun dan something anything " +
    "the of to for on at with do does did is are was were be been i im id you your we our us it its this that " +
    "there any some have has had can could would will should may what which how hi hello hey please thanks " +
    "thank know want need like just about from or and in an my me if not no get got also so they them he she " +
    "ask question wondering tell e os as um uma do da dos das no na em com nao voce voces meu minha qual quais"
  ).split(" "),
);

// Words of one meaning, folded. The first of a row stands for all of them, in every language.
const synonyms = new Map(
  [
    "precio precios costo costos cuesta cuestan cuanto cuanta vale valen cobran cobra tarifa tarifas price prices cost costs much charge fee fees rate preco preços",
    "direccion ubicacion domicilio donde ubicados ubicada queda quedan address location located where localizacao onde",
    "horario horarios abren cierran abierto abiertos abre cierra hours open close opening closing",
    "pago pagar pagos pagan pay payment payments abonar",
    "aceptan acepta reciben recibe toman accept accepts take takes",
    "tarjeta tarjetas card cards",
    "efectivo cash",
    "estacionamiento estacionar estaciono estacionarme estacionarse parqueo aparcamiento cajones parking park",
    "envio envios enviar envian entrega entregas entregan domicilio mandan mandar shipping ship deliver delivery deliveries",
    "devolucion devoluciones devolver regresar reembolso reembolsan return returns refund refunds",
    "cambio cambios exchange exchanges",
    "garantia garantias warranty guarantee",
    "factura facturas facturar facturan facturacion cfdi invoice invoices",
    "seguro seguros aseguradora aseguradoras insurance insurances",
    "descuento descuentos promocion promociones oferta ofertas rebaja discount discounts promo promos promotion promotions sale",
    "cita citas turno consulta consultas appointment appointments visit booking",
    "cancelar cancelacion cancelo cancelas cancelan cancel cancellation cancelling canceling",
    "nino ninos nina ninas hijo hija hijos bebe pediatrico kid kids child children son daughter",
    "mascota mascotas perro perros gato gatos pet pets dog dogs cat cats",
    "internet wifi",
    "telefono celular numero llamar marcar phone call number telephone",
    "correo email mail",
    "auto carro coche vehiculo car vehicle",
    "dolor duele duelen pain hurt hurts painful",
    "urgencia urgencias emergencia emergencias urgente emergency emergencies urgent",
    "meses mensualidades plazos msi installments installment financiamiento financing credito",
    "apartado apartar aparto layaway separar",
    "talla tallas medida medidas size sizes",
    "dura duracion tarda tardan demora tiempo duration long",
    "idioma ingles english espanol spanish language",
    "silla ruedas rampa discapacidad elevador wheelchair accessible accessibility ramp",
    "deposito anticipo adelanto deposit advance",
    "temprano antes anticipacion early",
    "llanta llantas neumatico neumaticos tire tires tyre",
    "aceite oil",
    "freno frenos balatas brake brakes",
    "limpieza limpiezas cleaning cleanings",
    "diente dientes muela muelas tooth teeth",
    "blanqueamiento whitening",
    "ortodoncia brackets frenillos braces orthodontics",
    "retraso tarde impuntual late delay",
    "trabajo empleo vacante vacantes job jobs vacancy hiring",
    "whatsapp whats wasap",
  ].flatMap((row) => {
    const words = row.split(" ").map(fold);
    const [concept = ""] = words;
    return words.map((word): [string, string] => [word, `=${concept}`]);
  }),
);

const maxLength = 2_000;
const maxTerms = 40;

/** Words of a text in lower case without accents, at most forty different ones. */
export function foldedWords(text: string): string[] {
  const words = fold(text.slice(0, maxLength)).match(/[\p{L}\p{N}]{2,30}/gu) ?? [];
  return [...new Set(words)].filter((word) => !stopWords.has(word)).slice(0, maxTerms);
}

/** The term under which a word is found: its concept, or its stem. */
export function termOf(word: string, language: string): string {
  return synonyms.get(word) ?? (stemmers[language] ?? spanishStemmer)(word);
}

export const isConcept = (word: string): boolean => synonyms.has(word);

/** Terms of the words that tell the subject of a text. */
export function contentStems(text: string, language: string): Set<string> {
  return new Set(foldedWords(text).map((word) => termOf(word, language)));
}
