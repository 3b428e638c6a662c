import { Column, type ColumnOptions, type ValueTransformer } from "typeorm";

type Options = Omit<ColumnOptions, "type" | "transformer">;

/**
 * The driver returns a BIGINT that may not fit as text. Our ids stay below 2^53, so they become
 * numbers.
 */
const numberTransformer: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};

const uuidTransformer: ValueTransformer = {
  to: (value: unknown) => (typeof value === "string" ? uuidToBytes(value) : value),
  from: (value: Buffer | null) => (value === null ? null : bytesToUuid(value)),
};

/** The 16 bytes of a UUID, the form in which events store it. */
export function uuidToBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

/** The text form of a stored UUID. */
export function bytesToUuid(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/** BIGINT UNSIGNED AUTO_INCREMENT primary key. */
export const Id = () =>
  Column({
    type: "bigint",
    unsigned: true,
    primary: true,
    generated: "increment",
    transformer: numberTransformer,
  });

/**
 * Id of a row in another table. There are no foreign keys, because a child's insert would lock its
 * parent.
 */
export const Ref = (options: Options = {}) =>
  Column({ type: "bigint", unsigned: true, transformer: numberTransformer, ...options });

/** UUID in 16 bytes, read and written as text. */
export const Uuid = (options: Options = {}) =>
  Column({ type: "binary", length: 16, transformer: uuidTransformer, ...options });

/** Text for people. Compared without regard to case and accents, unless `collation` differs. */
export const Text = (length: number, options: Options = {}) =>
  Column({ type: "varchar", length, ...options });

/** A word or id for programs: ASCII, compared byte by byte. */
export const Token = (length: number, options: Options = {}) =>
  Column({ type: "varchar", length, charset: "ascii", collation: "ascii_bin", ...options });

/** A time in UTC, with milliseconds. */
export const Moment = (options: Options = {}) =>
  Column({ type: "datetime", precision: 3, ...options });

/** Set by services from the transaction's clock. The default is for rows written by hand. */
export const MomentNow = () => Moment({ default: () => "CURRENT_TIMESTAMP(3)" });

/** Grows with every change of an editable row. */
export const Version = () => Column({ type: "int", unsigned: true, default: 1 });

export const Json = (options: Options = {}) => Column({ type: "json", ...options });
export const Int = (options: Options = {}) => Column({ type: "int", ...options });
export const Flag = (options: Options = {}) => Column({ type: "boolean", ...options });
export const Bytes = (length: number, options: Options = {}) =>
  Column({ type: "binary", length, ...options });
