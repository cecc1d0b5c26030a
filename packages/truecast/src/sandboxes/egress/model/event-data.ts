/** Parser for the data of server-sent events in a chunked byte stream. Buffers nothing. Pure. */

const DATA = Buffer.from('data:');
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r');

/** Reader of one event's data. */
interface DataReader {
  push(bytes: Uint8Array): void;
}

/** Creates a parser that sends each event's data to a new reader. */
export function createEventDataReader(makeReader: () => DataReader): DataReader {
  let reader = makeReader();
  /** Number of bytes that match the `data:` prefix on the current line. */
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
          // The line feed of a CRLF does not end a second line.
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
