import { streamXlsxRows } from "hucre/xlsx";

/** Value of a cell. An error such as `#N/A` is a text. */
export type SheetValue = string | number | boolean | Date | null;

/** Reads the rows of a spreadsheet. The only file that knows the library. */
export interface SpreadsheetReader {
  /**
   * Rows of a sheet in their order; rows without cells may be missing.
   * @param data bytes of the file
   * @param sheet name of the sheet
   * @returns rows with their index from 0
   */
  readRows(
    data: Uint8Array,
    sheet: string,
  ): AsyncIterable<{ index: number; values: readonly SheetValue[] }>;
}

export const spreadsheetReader: SpreadsheetReader = {
  readRows: (data, sheet) => streamXlsxRows(data, { sheet }),
};
