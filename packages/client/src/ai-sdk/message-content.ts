/** UI messages as input of a chat: contents of the user, and outputs of the client's tools. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { UIMessage } from 'ai';
import type { FilePart, InputPart } from '../wire/message-parts.ts';
import type { ToolResultsBody } from '../wire/message.ts';
import type { TruecastMetadata } from './ui-message.ts';

/** Returns the contents of a user's message. @throws UsageError if it has none */
export function toContent({ parts }: Pick<UIMessage, 'parts'>): readonly InputPart[] {
  const content = parts.flatMap((part): InputPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    return part.type === 'file' ? [toFile(part)] : [];
  });
  if (content.length > 0) return content;
  throw new UsageError('Expected the message to have a text or a file, got neither. Add one.');
}

interface SentFile {
  readonly mediaType: string;
  readonly filename?: string;
  readonly url: string;
}

/** The browser reads a chosen file into a data URL. */
function toFile({ mediaType: media_type, filename, url }: SentFile): FilePart {
  const data = /^data:[^,]*;base64,(.*)$/su.exec(url)?.[1];
  const name = filename === undefined ? {} : { filename };
  return { type: 'file', media_type, ...name, ...(data === undefined ? { url } : { data }) };
}

/** Outputs of the client's tools, and the position at which the answer continues. */
export interface ToolOutputs {
  readonly results: ToolResultsBody['results'];
  readonly cursor: string | undefined;
}

/** Returns the outputs that the chat waits for. Undefined if the message has none. */
export function toolOutputsOf(message: UIMessage): ToolOutputs | undefined {
  if (message.role !== 'assistant') return undefined;
  const { awaiting, cursor } = readMetadata(message.metadata);
  const lastStep = message.parts.slice(message.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  const results = lastStep.flatMap((part) => {
    const isOutput = 'state' in part && (part.state === 'output-available' || part.state === 'output-error');
    if (!isOutput || part.providerExecuted === true) return [];
    const { toolCallId: tool_call_id } = part;
    if (awaiting !== undefined && !awaiting.includes(tool_call_id)) return [];
    return part.state === 'output-error'
      ? [{ tool_call_id, output: part.errorText, is_error: true }]
      : [{ tool_call_id, output: part.output ?? null }];
  });
  return results.length === 0 ? undefined : { results, cursor };
}

/** A route handler receives it from a page. */
function readMetadata(metadata: unknown): Pick<TruecastMetadata, 'awaiting' | 'cursor'> {
  if (!isRecord(metadata)) return {};
  const { awaiting, cursor } = metadata;
  const isIds = Array.isArray(awaiting) && awaiting.every((id) => typeof id === 'string');
  return { ...(isIds && { awaiting }), ...(typeof cursor === 'string' && { cursor }) };
}
