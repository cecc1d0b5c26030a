/** Chunks of one step: the preview of a model call, then its committed row. Pure. */
import type { FilePart, MessagePart } from '../wire/message-parts.ts';
import type { MessageView } from '../wire/message.ts';
import type { PartEvent } from '../wire/stream-event.ts';
import { callChunks, resultChunk, toolMarks } from './tool-parts.ts';
import type { TruecastChunk } from './ui-message.ts';

/** Parts that a user sees. */
export type ShownPart = Extract<
  MessagePart,
  { readonly type: 'text' | 'reasoning' | 'tool_call' | 'tool_result' | 'source' | 'file' }
>;

const SHOWN: ReadonlySet<MessagePart['type']> = new Set([
  'text',
  'reasoning',
  'tool_call',
  'tool_result',
  'source',
  'file',
] satisfies ShownPart['type'][]);

/** Returns true for a row of a step: of a model call with parts, or whose reply was refused. */
export function isStep(row: MessageView): boolean {
  return row.role === 'assistant' && (row.attempt !== undefined || shownParts(row).length > 0);
}

/** Returns the parts of a row that a user sees. */
export function shownParts({ content }: MessageView): ShownPart[] {
  return content.filter((part): part is ShownPart => SHOWN.has(part.type));
}

export function fileUrl({ url, data = '', media_type }: FilePart): string {
  return url ?? `data:${media_type};base64,${data}`;
}

/** The step that is open. Every method returns the next chunks. */
export class StepChunks {
  readonly #clientTools: ReadonlySet<string>;
  #isOpen = false;
  /** True while the step has chunks that its row replaces. */
  #isPreviewed = false;
  #growing: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined;
  #previewedCalls = new Set<string>();
  #previews = 0;

  constructor(clientTools: ReadonlySet<string>) {
    this.#clientTools = clientTools;
  }

  /** Adds a chunk that the row replaces. */
  preview(...chunks: readonly TruecastChunk[]): TruecastChunk[] {
    const opened = this.#open();
    this.#isPreviewed = true;
    return [...opened, ...chunks];
  }

  part({ kind, delta, tool_call_id: toolCallId = '', tool_name, request_id }: PartEvent): TruecastChunk[] {
    if (kind === 'tool_call') {
      if (tool_name === undefined) return this.#callDelta(toolCallId, delta);
      const marks = toolMarks(tool_name, this.#clientTools);
      this.#previewedCalls.add(toolCallId);
      const start = { type: 'tool-input-start', toolCallId, toolName: tool_name, ...marks } as const;
      return this.preview(...this.#endText(), start);
    }
    // The JSON text of an answer: `data-partial` has its value. Kinds of a newer server are skipped.
    if (request_id !== undefined || (kind !== 'text' && kind !== 'reasoning')) return [];
    if (this.#growing?.kind === kind) return [{ type: `${kind}-delta`, id: this.#growing.id, delta }];
    const ended = this.#endText();
    const id = `preview-${(this.#previews += 1)}`;
    this.#growing = { kind, id };
    return this.preview(...ended, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta });
  }

  /** Discards the preview. */
  reset(): TruecastChunk[] {
    if (!this.#isPreviewed) return [];
    this.#isPreviewed = false;
    this.#growing = undefined;
    this.#previewedCalls.clear();
    return [{ type: 'reset-step' }];
  }

  /** Replaces the preview with the committed row. */
  row(message: MessageView): TruecastChunk[] {
    if (!isStep(message)) return [];
    const parts = shownParts(message);
    const chunks = [...this.#open(), ...this.reset()];
    for (const [index, part] of parts.entries()) {
      chunks.push(...this.#partChunks(part, `${message.id}-${index}`));
    }
    // The results of calls belong to the step.
    const hasCalls = parts.some((part) => part.type === 'tool_call' && part.provider_executed !== true);
    return hasCalls ? chunks : [...chunks, ...this.close()];
  }

  /** Adds results of tools. */
  results(message: MessageView): TruecastChunk[] {
    const parts = shownParts(message);
    return [
      ...parts.flatMap((part, index) => this.#partChunks(part, `${message.id}-${index}`)),
      ...this.close(),
    ];
  }

  close(): TruecastChunk[] {
    if (!this.#isOpen) return [];
    const chunks = [...this.#endText(), { type: 'finish-step' } as const];
    this.#isOpen = false;
    this.#isPreviewed = false;
    return chunks;
  }

  #open(): TruecastChunk[] {
    if (this.#isOpen) return [];
    this.#isOpen = true;
    return [{ type: 'start-step' }];
  }

  #callDelta(toolCallId: string, inputTextDelta: string): TruecastChunk[] {
    // After a lost connection the rest of a call has no beginning.
    if (!this.#previewedCalls.has(toolCallId)) return [];
    return [{ type: 'tool-input-delta', toolCallId, inputTextDelta }];
  }

  #endText(): TruecastChunk[] {
    const growing = this.#growing;
    this.#growing = undefined;
    return growing === undefined ? [] : [{ type: `${growing.kind}-end`, id: growing.id }];
  }

  #partChunks(part: ShownPart, id: string): TruecastChunk[] {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [
          { type: `${part.type}-start`, id },
          { type: `${part.type}-delta`, id, delta: part.text },
          { type: `${part.type}-end`, id },
        ];
      case 'tool_call':
        return callChunks(part, toolMarks(part.tool_name, this.#clientTools));
      case 'tool_result':
        return [resultChunk(part, toolMarks(part.tool_name, this.#clientTools))];
      case 'source': {
        const { source_id: sourceId, url, title } = part;
        if (url === undefined) return [];
        return [{ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) }];
      }
      case 'file':
        return [{ type: 'file', url: fileUrl(part), mediaType: part.media_type }];
      default:
        return part satisfies never;
    }
  }
}
