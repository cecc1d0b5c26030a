/** Port for events of a JSON reader. Pure. */

/** Receives the parsed tokens in order; strings in pieces. */
export interface JsonSink {
  beginContainer(isObject: boolean): void;
  endContainer(): void;
  beginString(isKey: boolean): void;
  stringPiece(text: string): void;
  endString(): void;
  scalar(value: number | boolean | null): void;
}
