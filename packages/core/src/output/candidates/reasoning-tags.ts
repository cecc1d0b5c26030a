/** Reasoning tags: finds the marks that models put around their reasoning. Pure. */

/** One mark: its position, and whether it opens or closes. */
export interface ReasoningTag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly start: number;
  readonly end: number;
}

const TAG =
  /<(\/?)(think|thinking|thought|reason|reasoning|analysis|scratchpad|monologue|reflection)>|\[(\/?)(think)\]|◁(\/?)(think)▷/giu;

/** Returns all marks in order. */
export function reasoningTags(text: string): readonly ReasoningTag[] {
  return [...text.matchAll(TAG)].map((match) => ({
    name: (match[2] ?? match[4] ?? match[6] ?? '').toLowerCase(),
    isClosing: (match[1] ?? match[3] ?? match[5]) === '/',
    start: match.index,
    end: match.index + match[0].length,
  }));
}
