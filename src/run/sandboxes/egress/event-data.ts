/** Owns finding the data of server-sent events in bytes that arrive in pieces, without keeping any. Pure. */

const DATA = Buffer.from('data:');
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r');

/** Whoever reads the data of one event. */
interface DataReader {
  push(bytes: Uint8Array): void;
}

/** Makes a reader that pushes each event's data into a reader of its own. */
export function createEventDataReader(makeReader: () => DataReader): DataReader {
  let reader = makeReader();
  /** Bytes of the line so far, as long as it may still be one of data. */
  let matched = 0;
  let isData = false;
  let isOther = false;
  let previous: number | undefined;
  const endLine = (): void => {
    // An empty line ends the event.
    if (matched === 0 && !isOther) reader = makeReader();
    matched = 0;
    isData = false;
    isOther = false;
  };
  return {
    push(bytes) {
      let dataFrom = isData ? 0 : -1;
      for (const [index, byte] of bytes.entries()) {
        if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
          if (isData) reader.push(bytes.subarray(dataFrom, index));
          // The line feed after a carriage return is no line.
          if (byte === CARRIAGE_RETURN || previous !== CARRIAGE_RETURN) endLine();
        } else if (!isData && !isOther) {
          if (byte === DATA[matched]) matched += 1;
          else isOther = true;
          isData = matched === DATA.length;
          if (isData) dataFrom = index + 1;
        }
        previous = byte;
      }
      if (isData) reader.push(bytes.subarray(dataFrom));
    },
  };
}
