/**
 * Process whose memory is measured while our scanner reads a transcript that is never completely in
 * memory. Replies with its peak.
 */
import { peakMemory } from '../harness/peak-memory.ts';
import { MEGABYTE, proseThenAnswer } from '../inputs/transcripts.ts';
import { extractFromPieces } from './our-extraction.ts';

export interface MemoryRequest {
  readonly bytes: number;
}

export interface MemoryReply {
  readonly answer: unknown;
  /** Peak memory of the process minus the peak after a warm-up of 1 MB. */
  readonly grownBytes: number;
}

const PIECE = proseThenAnswer(64 * 1024).text.replaceAll(/<\/?result>/g, '(result)');

// Each chunk is a new string, as from a pipe.
function* makePieces(bytes: number): Iterable<string> {
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    yield Buffer.from(PIECE, 'latin1').toString('latin1');
  }
  yield '<result>{"answer":42}</result>';
}

async function reply({ bytes }: MemoryRequest): Promise<MemoryReply> {
  await extractFromPieces(makePieces(MEGABYTE));
  const before = peakMemory();
  const answer = await extractFromPieces(makePieces(bytes));
  return { answer, grownBytes: peakMemory() - before };
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.on('message', (request: MemoryRequest) => {
    void reply(request).then((result) => process.send?.(result));
  });
}
