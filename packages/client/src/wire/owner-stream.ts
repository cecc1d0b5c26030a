/** Wire format of the stream of an owner's changes. Types only: the server has the Zod schemas. */
import type { ChatView } from './chat.ts';
import type { EnsembleRunView } from './ensemble.ts';
import type { RequestView } from './request.ts';
import type { KeptRunView } from './run.ts';

/** A chat without its tools and settings. */
export type ChatSummaryView = Omit<ChatView, 'tools' | 'settings'>;

/**
 * A change of an owner's chats, or of the project's runs. Each event has the current state, so a
 * newer one replaces an older one.
 */
export type OwnerStreamEvent =
  | {
      /** The first event. */
      readonly type: 'ready';
      /** False if changes can be missing before it: read the lists again. */
      readonly is_resumed: boolean;
    }
  | { readonly type: 'chat'; readonly chat: ChatSummaryView }
  | { readonly type: 'chat_deleted'; readonly chat_id: string }
  | { readonly type: 'receipt'; readonly receipt: RequestView }
  | {
      /** Only for a token with the scope `project`, as `ensemble_run`. */
      readonly type: 'run';
      readonly run: KeptRunView;
    }
  | {
      /** A run that started or ended. */
      readonly type: 'ensemble_run';
      readonly run: EnsembleRunView;
    };
