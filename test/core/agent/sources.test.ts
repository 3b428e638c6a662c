import { expect, test } from "vitest";
import { pairsOfFile } from "../../../core/agent/sources/files.ts";
import { DeepPageError, pairsOfHtml } from "../../../core/agent/sources/html.ts";
import { keyOf } from "../../../core/agent/sources/pairs.ts";

const page = (body: string, head = "") =>
  `<!doctype html><html lang="es"><head><title>Clínica  Soto</title>${head}</head><body>${body}</body></html>`;
const ld = (value: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const question = (name: string, text: string) => ({
  "@type": "Question",
  name,
  acceptedAnswer: { "@type": "Answer", text },
});

test("a heading is the question of the text below it, without menus, scripts and footers", () => {
  const html = page(`
    <nav><a href="/">Inicio</a></nav><header><h1>Consultorio</h1></header>
    <h2>Horarios &amp; citas</h2><p>Abrimos de <b>9:00</b> a 18:00.</p>
    <ul><li>Lunes</li><li>Martes</li></ul>
    <h3>¿Tienen   estacionamiento?</h3><div>Sí,<br>gratis.</div><script>alert("no")</script>
    <h2>Vacío</h2><footer><h2>Síguenos</h2><p>Redes</p></footer>`);
  expect(pairsOfHtml(html)).toEqual([
    {
      question: "Horarios & citas",
      answer: "Abrimos de 9:00 a 18:00.\n- Lunes\n- Martes",
    },
    { question: "¿Tienen estacionamiento?", answer: "Sí,\ngratis." },
  ]);
});

test("a page without headings answers its title, and its lines that ask", () => {
  const html = page("<p>Somos una clínica dental.</p><p>¿Aceptan tarjeta?</p><p>Sí, todas.</p>");
  expect(pairsOfHtml(html)).toEqual([
    { question: "Clínica Soto", answer: "Somos una clínica dental." },
    { question: "¿Aceptan tarjeta?", answer: "Sí, todas." },
  ]);
  expect(pairsOfHtml(page(""))).toEqual([]);
});

test("summaries and terms are questions as headings are", () => {
  const html = page(
    "<details><summary>¿Facturan?</summary><p>Sí.</p></details><dl><dt>Precio</dt><dd>$800</dd></dl>",
  );
  expect(pairsOfHtml(html)).toEqual([
    { question: "¿Facturan?", answer: "Sí." },
    { question: "Precio", answer: "$800" },
  ]);
});

test("a FAQPage comes first, in a graph too, and a heading does not repeat its question", () => {
  const faq = {
    "@type": ["FAQPage"],
    mainEntity: [question("¿Facturan?", "<p>Sí, <b>siempre</b>.</p>")],
  };
  const body = "<h2>¿FACTURAN?</h2><p>Otra cosa.</p><h2>Precio</h2><p>$800</p>";
  for (const value of [faq, [faq], { "@graph": [{ "@type": "WebPage" }, faq] }]) {
    expect(pairsOfHtml(page(body, ld(value)))).toEqual([
      { question: "¿Facturan?", answer: "Sí, siempre." },
      { question: "Precio", answer: "$800" },
    ]);
  }
});

test.each([
  ["no JSON", '<script type="application/ld+json">{</script>'],
  ["no questions", ld({ "@type": "FAQPage", mainEntity: [null, 3, { "@type": "Question" }] })],
  ["another type", ld({ "@type": "Product", mainEntity: [question("¿A?", "B")] })],
])("JSON-LD with %s gives no pairs", (_, head) => {
  expect(pairsOfHtml(page("", head))).toEqual([]);
});

test("a page made to cost time is refused, and 2 MiB are read within a second", () => {
  expect(() => pairsOfHtml(`${"<b>".repeat(200_000)}${"</i>".repeat(200_000)}`)).toThrow(
    DeepPageError,
  );
  // Time of the processor, because other work on the machine does not count.
  const before = process.cpuUsage();
  pairsOfHtml(page("<h2>Título</h2><p>Texto con <b>marcas</b>.</p>".repeat(42_000)));
  pairsOfHtml("<".repeat(2_000_000));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(4_000);
});

test("a long answer ends with a whole sentence, and stays well-formed", () => {
  const [pair] = pairsOfHtml(page(`<h2>Largo</h2><p>${"Una frase 😀. ".repeat(500)}</p>`));
  expect(pair?.answer.length).toBeLessThanOrEqual(4_000);
  expect(pair?.answer).toMatch(/\.$/);
  expect(pair?.answer).not.toMatch(/\p{Cs}/u);
});

test("text, Markdown and CSV are cut in the same way", () => {
  expect(pairsOfFile("Dudas.txt", "Somos Soto.\r\n\r\n¿Abren?\r\nSí.\nSiempre.")).toEqual([
    { question: "Dudas", answer: "Somos Soto." },
    { question: "¿Abren?", answer: "Sí.\nSiempre." },
  ]);
  expect(
    pairsOfFile("a.MD", "# Precios #\n---\nLimpieza **$800**, [más](https://a.mx)\n## Nada"),
  ).toEqual([{ question: "Precios", answer: "Limpieza $800, más (https://a.mx)" }]);
  const rows = [
    { question: "¿Abren?", answer: 'Sí, "siempre"' },
    { question: "¿Facturan?", answer: "Sí" },
  ];
  expect(
    pairsOfFile("a.csv", '\ufeffPregunta,Respuesta\n¿Abren?,"Sí, ""siempre"""\n¿Facturan?,Sí,nota'),
  ).toEqual(rows);
  expect(pairsOfFile("a.csv", '¿Abren?;"Sí, ""siempre"""\n\n¿Facturan?;Sí')).toEqual(rows);
});

test.each([
  ["a.pdf", "texto", "unknown_kind"],
  ["a", "texto", "unknown_kind"],
  ["a.txt", "PK\0\0", "not_text"],
  ["a.csv", 'a,"b', "not_csv"],
  ["a.csv", "a\nb", "not_two_columns"],
])("a bad file says why: %s %j", (name, content, code) => {
  expect(pairsOfFile(name, content)).toBe(code);
});

test("a question is known again without case, accents and marks", () => {
  expect(keyOf("¿Dónde ESTÁN?")).toBe(keyOf("donde estan"));
  expect(keyOf("?!")).toBe("");
});
