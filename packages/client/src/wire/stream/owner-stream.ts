/** Wire format of the stream of an owner's changes. */
import { boolean, literal, object, string, tagged, type Of } from '@truecast/core/internal/shape/shape';
import { agentRunView } from '../runs/agent-run.ts';
import { chatSummaryView } from '../chat.ts';
import { ensembleRunView } from '../ensemble.ts';
import { requestView } from '../request.ts';
import { keptRunView } from '../kept-run.ts';

export const ownerStreamEvent = tagged(
  {
    /** The first event. */
    ready: object({
      type: literal('ready'),
      /** False if changes can be missing before it: read the lists again. */
      is_resumed: boolean,
    }),
    chat: object({ type: literal('chat'), chat: chatSummaryView }),
    chat_deleted: object({ type: literal('chat_deleted'), chat_id: string }),
    receipt: object({ type: literal('receipt'), receipt: requestView }),
    /** A durable run whose status or phase changed. Only for a token with the scope `runs`. */
    agent_run: object({ type: literal('agent_run'), run: agentRunView }),
    /** Only for a token with the scope `project`, as `ensemble_run`. */
    run: object({ type: literal('run'), run: keptRunView }),
    /** A run that started or ended. */
    ensemble_run: object({ type: literal('ensemble_run'), run: ensembleRunView }),
    /** The list of models has changed: read it again. */
    models: object({ type: literal('models') }),
  },
  'OwnerStreamEvent',
);
/**
 * A change of an owner's chats, or of the project's runs. Each event has the current state, so a
 * newer one replaces an older one.
 */
export type OwnerStreamEvent = Of<typeof ownerStreamEvent>;
