/** Answer preview: parses the pieces of a reply as its mode does, for `onPartial` and for `elements`. */
import { previewOf } from '@truecast/core/internal/output/definition/output-kinds';
import { isBareObject } from '@truecast/core/internal/output/scan/preview-json';
import { PreviewPace } from '@truecast/core/internal/output/scan/preview-pace';
import { Output } from '@truecast/core/internal/output/output';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import type { ModelMode } from './answer-mode.ts';
import type { Conversation } from './conversation.ts';

/** Prepended to replies without a tag, because the preview scanner needs one. */
const PREVIEW_TAG = 'truecast-preview';

/** Consumer of the pieces of one reply. */
export interface Preview {
  /** Resolves to true to end the reply. */
  push(delta: string): Promise<boolean> | undefined;
  /** Shows what no piece has shown. */
  end(): void;
}

/** Creates a consumer of pieces. Undefined without a listener. */
export function createPreview(
  { options, elements, attempt }: Pick<Conversation, 'options' | 'elements' | 'attempt'>,
  mode: ModelMode,
): Preview | undefined {
  const { onPartial, output } = options;
  if (onPartial === undefined && elements === undefined) return undefined;
  const takeElements = elements?.watch(mode);
  const scanner = createTagScanner(output.tag === undefined ? Output.json({ tag: PREVIEW_TAG }) : output);
  if (output.tag === undefined) scanner.push(`<${PREVIEW_TAG}>`);
  const spoken = output.tag === undefined ? createReasoningFilter() : (delta: string): string => delta;
  const pace = new PreviewPace(() => performance.now());
  const show = (): void => {
    const partial = scanner.snapshot();
    const value = partial.value === undefined ? undefined : previewOf(mode.restore(partial.value), output);
    // The content of the wrapper has not begun.
    if (value === undefined || isBareObject(value)) return;
    // The preview has the definition's kind. Any part can be missing or invalid, as the type says.
    onPartial?.({ value: value, draft: attempt - 1 + partial.draft });
  };
  return {
    push(delta) {
      const piece = spoken(delta);
      scanner.push(piece);
      if (onPartial !== undefined && pace.grow(piece.length)) show();
      return takeElements?.(scanner.partial().value);
    },
    end() {
      if (onPartial !== undefined && pace.isBehind) show();
    },
  };
}

const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Creates the filter. It returns the pieces of the answer: everything, if the text does not begin
 * with reasoning.
 */
export function createReasoningFilter(): (piece: string) => string {
  let state: 'start' | 'reasoning' | 'answer' = 'start';
  let held = '';
  return (piece) => {
    if (state === 'answer') return piece;
    held += piece;
    if (state === 'start') {
      const begun = held.trimStart();
      if (begun.length < OPENING.length && OPENING.startsWith(begun)) return '';
      state = begun.startsWith(OPENING) ? 'reasoning' : 'answer';
      if (state === 'answer') return held;
    }
    const closing = held.indexOf(CLOSING);
    if (closing !== -1) {
      state = 'answer';
      return held.slice(closing + CLOSING.length);
    }
    // Only a possible start of the closing mark must be kept.
    held = held.slice(-CLOSING.length);
    return '';
  };
}
