/** Columns of tables as data: their types, the same on both databases, and the types of their rows. */
import type { Generated } from 'kysely';

/** Values of a column. There is no boolean and no time: a `flag` is 0 or 1, a time milliseconds or text. */
interface ColumnValues {
  /** Compared bytewise on both databases. */
  readonly text: string;
  /** 64 bits, read as a number: stay within 2^53. */
  readonly integer: number;
  readonly flag: 0 | 1;
  readonly real: number;
  /** Uncompressed bytes. Postgres returns a `Buffer`. */
  readonly bytes: Uint8Array;
  /** A primary key that grows with every insert and is never reused. */
  readonly serial: Generated<number>;
}

export type ColumnType = keyof ColumnValues;

/** Columns by name, in the order of the table. A type with `?` can be null. */
export type Columns = Readonly<Record<string, ColumnType | `${ColumnType}?`>>;

/** A row of a table with these columns. */
export type RowOf<TColumns extends Columns> = {
  readonly [Name in keyof TColumns]: TColumns[Name] extends `${infer Type extends ColumnType}?`
    ? ColumnValues[Type] | null
    : TColumns[Name] extends ColumnType
      ? ColumnValues[TColumns[Name]]
      : never;
};
