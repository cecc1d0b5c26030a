/** Turns of a chat: each begins with a user message and contains the following steps. Pure. */
import type { MessagePart, MessageView } from '@truecast/client';

type PartOf<T extends MessagePart['type']> = Extract<MessagePart, { readonly type: T }>;

export interface TranscriptTurn {
  readonly user?: MessageView;
  readonly steps: readonly MessageView[];
  /** The answer that the user requires. */
  readonly format?: PartOf<'response_format'>;
  /** The end of the request. */
  readonly outcome?: PartOf<'outcome'> & { readonly at: string };
}

export function turnsOf(messages: readonly MessageView[]): readonly TranscriptTurn[] {
  const groups: MessageView[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'user' || last === undefined) groups.push([message]);
    else last.push(message);
  }
  return groups.map(toTurn);
}

function toTurn(messages: readonly MessageView[]): TranscriptTurn {
  const [first] = messages;
  const user = first?.role === 'user' ? first : undefined;
  const format = user?.content.find((part) => part.type === 'response_format');
  const outcome = messages
    .flatMap(({ content, created_at: at }) => content.map((part) => ({ part, at })))
    .flatMap(({ part, at }) => (part.type === 'outcome' ? [{ ...part, at }] : []))
    .at(-1);
  return {
    steps: user === undefined ? messages : messages.slice(1),
    ...(user !== undefined && { user }),
    ...(format !== undefined && { format }),
    ...(outcome !== undefined && { outcome }),
  };
}

export function turnText({ content }: Pick<MessageView, 'content'>): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** Returns true if a turn without a typed answer has ended, and its reply has nothing to show. */
export function isEmptyReply({ steps, format }: TranscriptTurn): boolean {
  if (format !== undefined || steps.length === 0) return false;
  return steps.every(({ content, finish_reason: reason }) => {
    const isWhole = reason === undefined || reason === 'stop';
    return isWhole && content.every((part) => part.type === 'text' && part.text.trim() === '');
  });
}
