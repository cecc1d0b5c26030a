/** Owns the port by which a JSON reader tells what it reads. Pure. */

/** Is told what a reader reads, in order; strings in pieces. */
export interface JsonSink {
  beginContainer(isObject: boolean): void;
  endContainer(): void;
  beginString(isKey: boolean): void;
  stringPiece(text: string): void;
  endString(): void;
  scalar(value: number | boolean | null): void;
}
