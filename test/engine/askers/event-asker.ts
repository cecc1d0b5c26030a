/** Event asker: a manifest agent of an ensemble, which answers a turn with one event of its grant. */
import { z } from 'zod';
import { manifestAgent } from '../../../packages/ensemble/src/agent/manifest-agent.ts';
import { manifestOf, turnOf } from '../../../packages/ensemble/src/agent/test-turns.ts';
import { aiSdkProvider } from '../../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import { openAICompatible } from '../../../packages/model/src/open-ai-compatible.ts';
import { NOTES, type FormCase } from '../form-cases.ts';
import { MAX_CALLS, MAX_TOKENS, TEMPERATURE, type Asker } from './asker.ts';

/** What an agent can emit, and its further fields. */
interface Grant {
  readonly kinds: readonly string[];
  readonly fields: readonly string[];
}

const GRANTS: readonly Grant[] = [
  { kinds: ['agent.spoke'], fields: [] },
  { kinds: ['agent.spoke', 'clue.found'], fields: ['mood'] },
];

/** The schema of an event. One without its further fields is taken too, and labelled `field-missing`. */
function eventCase(note: string, { kinds, fields }: Grant, at: number): FormCase {
  const extra = Object.fromEntries(fields.map((name) => [name, z.string().max(1_000).optional()]));
  const schema = z.strictObject({ kind: z.enum(kinds), text: z.string().min(1).max(1_000), ...extra });
  return { name: `event-${at + 1}-${kinds.length}`, prompt: note, schema };
}

/** The asker of all notes of the proof. */
export const EVENT_ASKER: Asker = eventAsker(NOTES);

/** An event whose text is what the model said, because no event could be read from it, does not count. */
export function eventAsker(notes: readonly string[]): Asker {
  const cases = new Map(
    notes.flatMap((note, at) => GRANTS.map((grant) => [eventCase(note, grant, at), grant] as const)),
  );
  return {
    id: 'event',
    title: 'ensemble, an event of an agent',
    forms: [...cases.keys()],
    open: ({ url, model: name, apiKey, maxTokens = MAX_TOKENS }) => {
      const model = openAICompatible({ baseURL: url, model: name, ...(apiKey !== undefined && { apiKey }) });
      const ask = async (form: FormCase, seed: number): Promise<unknown> => {
        const grant = cases.get(form);
        const settings = { maxOutputTokens: maxTokens, temperature: TEMPERATURE, seed };
        const agent = manifestAgent({
          manifest: manifestOf({ mayEmit: grant?.kinds ?? [], outputExtraFields: grant?.fields ?? [] }),
          provider: aiSdkProvider(model, { ...settings, maxRetries: MAX_CALLS - 1 }),
        });
        const act = await agent.act(turnOf({ scene: form.prompt }));
        if (act.type !== 'event' || act.provenance?.rung === 'raw') {
          throw new Error('The agent emitted no event.');
        }
        return { ...act.payload, kind: act.kind };
      };
      return Promise.resolve({ ask });
    },
  };
}
