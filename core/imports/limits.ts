const kib = 1024;
const mib = 1024 * kib;

/** Characters of a record, or of a line of a chat. */
export const maxRecordLength = 64 * kib;
/** Columns of a table. */
export const maxColumns = 200;
/** Records of a table, or messages of a chat. */
export const maxRows = 2_000_000;
/** Rows that a person sees beside the mapping. */
export const sampleRows = 50;
/** Characters of these rows. The first two rows are kept at any length. */
export const maxSampleLength = 100_000;

/** Bytes of a spreadsheet. */
export const maxSpreadsheetBytes = 50 * mib;
/** Bytes of a part of a spreadsheet that its reader holds in memory, such as the shared texts. */
export const maxHeldPartBytes = 64 * mib;

/** Entries of an archive. */
export const maxEntries = 10_000;
/** Bytes of all entries of an archive, inflated. */
export const maxInflatedBytes = 1024 * mib;
/** Inflated bytes of an entry for each compressed byte. */
export const maxRatio = 200;
/** Smaller entries harm nobody, and a short text of one letter may shrink a lot. */
export const ratioFreeBytes = mib;

/** Heap of the process that reads spreadsheets and chats. */
export const readerHeapMib = 256;
/** Time that the process may take, without the time in which nobody asks for its next row. */
export const readerTimeMs = 120_000;
