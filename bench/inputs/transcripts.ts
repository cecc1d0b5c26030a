/**
 * Transcripts for answer extraction: ordinary and hostile ones, each with the expected result.
 * Pure.
 */

/** Bytes of one MB in this bench. */
export const MEGABYTE = 1_000_000;

/** Expected result: the value's `answer`, or the failure's code. */
export type Expected = { readonly answer: number } | { readonly code: string };

interface Transcript {
  readonly text: string;
  readonly expected: Expected;
}

/** A transcript of a given size: bytes for prose and payloads, repetitions for repeated content. */
export type TranscriptMaker = (size: number) => Transcript;

const OPEN = '<result>';
const CLOSE = '</result>';
const ANSWER = `${OPEN}{"answer":42}${CLOSE}\n`;
const PROSE = 'I read the file and ran the tests; if a < b && c > d, "nothing" else changes.\n';
const FOUND: Expected = { answer: 42 };

/**
 * Flat, one byte per character: a string that was built by concatenation is far slower to traverse.
 */
function flatten(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function fill(piece: string, bytes: number): string {
  return piece.repeat(Math.max(0, Math.ceil(bytes / piece.length)));
}

/** Prose with one answer at its end. */
export const proseThenAnswer: TranscriptMaker = (bytes) => ({
  text: flatten(`${fill(PROSE, bytes - ANSWER.length)}${ANSWER}`),
  expected: FOUND,
});

/** The same, but the first line mentions the tag. */
export const mentionThenAnswer: TranscriptMaker = (bytes) => ({
  text: flatten(`I will answer in a ${OPEN} tag.\n${fill(PROSE, bytes - ANSWER.length)}${ANSWER}`),
  expected: FOUND,
});

/** A complete answer after every line of prose. The last one differs. */
export const manyAnswers: TranscriptMaker = (bytes) => ({
  text: flatten(`${fill(`${PROSE}${OPEN}{"answer":1}${CLOSE}\n`, bytes)}${ANSWER}`),
  expected: FOUND,
});

/** One answer that is as large as the transcript. */
export const largePayload: TranscriptMaker = (bytes) => {
  const item = '{"path":"src/output/scan.ts","line":12,"note":"a \\"quoted\\" word"},';
  const items = fill(item, bytes).slice(0, -1);
  return { text: flatten(`${OPEN}{"answer":42,"items":[${items}]}${CLOSE}\n`), expected: FOUND };
};

/** Opening tags that are never closed. */
export const openingsOnly: TranscriptMaker = (count) => ({
  text: flatten(OPEN.repeat(count)),
  expected: { code: 'tag-not-found' },
});

/** Closing tags without an opening tag. */
export const closingsOnly: TranscriptMaker = (count) => ({
  text: flatten(CLOSE.repeat(count)),
  expected: { code: 'tag-not-found' },
});

/** Every opening tag starts a JSON string that the next one ends. */
export const openStrings: TranscriptMaker = (count) => ({
  text: flatten(`${OPEN}"`.repeat(count)),
  expected: { code: 'truncated' },
});

/** A fence that is opened, followed by newlines, and never closed. */
export const unclosedFence: TranscriptMaker = (newlines) => ({
  text: flatten(`${OPEN}\n\`\`\`json\n${'\n'.repeat(newlines)}x${CLOSE}\n`),
  expected: { code: 'invalid-json' },
});
