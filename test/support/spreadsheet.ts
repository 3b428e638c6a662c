import { zip, type ZipPart } from "./zip.ts";

/** A sheet by its rows. A number and a text are written as spreadsheets write them. */
export interface TestSheet {
  name: string;
  rows: (string | number | null)[][];
  state?: "visible" | "hidden" | "veryHidden";
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageRelationships = "http://schemas.openxmlformats.org/package/2006/relationships";
const contentTypes = "http://schemas.openxmlformats.org/package/2006/content-types";
const office = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/**
 * Writes a spreadsheet.
 * @param more parts beside those of the sheets
 * @param texts texts that the sheets could share
 */
export function xlsx(
  sheets: readonly TestSheet[],
  more: readonly ZipPart[] = [],
  texts: readonly string[] = [],
): Buffer {
  const listed = sheets.map(
    ({ name, state = "visible" }, index) =>
      `<sheet name="${escape(name)}" sheetId="${index + 1}" state="${state}" r:id="rId${index + 1}"/>`,
  );
  const related = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${relationships}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const types = sheets.map(
    (_, index) =>
      `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${office}.worksheet+xml"/>`,
  );
  return zip([
    part(
      "[Content_Types].xml",
      `<Types xmlns="${contentTypes}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${office}.sheet.main+xml"/>${types.join("")}</Types>`,
    ),
    part(
      "_rels/.rels",
      `<Relationships xmlns="${packageRelationships}"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    part(
      "xl/workbook.xml",
      `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${listed.join("")}</sheets></workbook>`,
    ),
    part(
      "xl/_rels/workbook.xml.rels",
      `<Relationships xmlns="${packageRelationships}">${related.join("")}<Relationship Id="texts" Type="${relationships}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    ),
    part("xl/sharedStrings.xml", sharedXml(texts)),
    ...sheets.map(({ rows }, index) => part(`xl/worksheets/sheet${index + 1}.xml`, sheetXml(rows))),
    ...more,
  ]);
}

function part(name: string, xml: string): ZipPart {
  return { name, content: head + xml };
}

function sharedXml(texts: readonly string[]): string {
  const items = texts.map((text) => `<si><t>${escape(text)}</t></si>`).join("");
  return `<sst xmlns="${main}" count="${texts.length}">${items}</sst>`;
}

function sheetXml(rows: TestSheet["rows"]): string {
  const written = rows.map((cells, index) => {
    const inside = cells.map((cell, column) => cellXml(cell, column, index + 1)).join("");
    return `<row r="${index + 1}">${inside}</row>`;
  });
  return `<worksheet xmlns="${main}"><sheetData>${written.join("")}</sheetData></worksheet>`;
}

function cellXml(cell: string | number | null, column: number, row: number): string {
  if (cell === null) return "";
  const reference = `${columnName(column)}${row}`;
  if (typeof cell === "number") return `<c r="${reference}"><v>${cell}</v></c>`;
  if (cell.startsWith("#")) return `<c r="${reference}" t="e"><v>${cell}</v></c>`;
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escape(cell)}</t></is></c>`;
}

/** A, B, … Z, AA, AB, … */
function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
