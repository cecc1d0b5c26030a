/**
 * A judge's transcript: every line that was said. Where it does not fit, the lines are shortened
 * first, then the oldest are counted by speaker. Pure.
 */
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import { byteLength } from '../../providers/estimate-tokens.ts';
import type { PromptBlock } from './prompt-block.ts';
import { showEvent, type FieldsOf } from './show-event.ts';

/** Lengths of a line that are tried, longest first. The last still shows who argued what. */
const LINE_CHARS = [400, 200, 120, 80] as const;

/** Returns the block with all lines, which can shorten itself. */
export function transcriptBlock(
  speech: readonly LedgerEvent[],
  fieldsOf: FieldsOf,
  cutRank: number,
): PromptBlock {
  const lines = (maxChars?: number): readonly string[] =>
    speech.map((event) =>
      showEvent(event, { fields: fieldsOf(event), ...(maxChars !== undefined && { maxChars }) }),
    );
  return {
    title: 'TRANSCRIPT',
    intro: 'What was said, in order. Weigh all of it.',
    lines: lines(),
    cutRank,
    fit: (maxBytes) =>
      shortened(lines, maxBytes) ?? withoutOldest(speech, lines(LINE_CHARS.at(-1)), maxBytes),
  };
}

type Lines = Pick<PromptBlock, 'intro' | 'lines'>;

function shortened(linesOf: (maxChars: number) => readonly string[], maxBytes: number): Lines | undefined {
  const intro = 'What was said, in order. Long lines are shortened to fit. Weigh all of it.';
  const fitting = LINE_CHARS.map((maxChars) => ({ intro, lines: linesOf(maxChars) }));
  return fitting.find((block) => sizeOf(block) <= maxBytes);
}

function withoutOldest(speech: readonly LedgerEvent[], lines: readonly string[], maxBytes: number): Lines {
  let dropped = 0;
  let excess = sizeOf({ intro: introOf(speech), lines }) - maxBytes;
  while (excess > 0 && dropped < lines.length) {
    excess -= byteLength(lines[dropped] ?? '') + 1;
    dropped += 1;
  }
  return { intro: introOf(speech.slice(0, dropped), lines.length), lines: lines.slice(dropped) };
}

/** Names the speakers whose lines are missing, so that a judge does not take silence for assent. */
function introOf(missing: readonly LedgerEvent[], total = missing.length): string {
  const counts = new Map<string, number>();
  for (const { actor } of missing) counts.set(actor, (counts.get(actor) ?? 0) + 1);
  const speakers = [...counts].map(([actor, count]) => `${actor} ${count}`).join(', ');
  return `The last ${total - missing.length} of ${total} lines that were said, in order, shortened to fit. Left out before them: ${speakers}. Weigh all of it.`;
}

function sizeOf({ intro = '', lines }: Lines): number {
  return byteLength([intro, ...lines].join('\n'));
}
