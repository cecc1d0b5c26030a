/** Parser of agent manifests: their YAML keys and the TypeScript form. Pure. */
import { z } from 'zod';
import { AGENT_ROLES, MANIFEST_DEFAULTS, MODEL_PROFILES, type CompleteManifest } from './agent-manifest.ts';
import { COUNT, strictMapping, TEXT } from '@truecast/model/internal/models-file/field-schemas';
import { isEventKind } from '../ledger/event-kinds.ts';
import { judgeAgent, type KnownCode } from './judge-agent.ts';
import {
  COUNT_OR_ZERO,
  NAME_FIELD,
  readManifest,
  type ManifestForm,
  type ManifestRead,
  type ManifestText,
} from './read-fields.ts';

const KIND_FORM = 'a kind, such as `agent.spoke`: lowercase letters and digits, separated by dots';
const KIND_FIELD = z.string(KIND_FORM).refine(isEventKind, KIND_FORM);

const LIST = 'a list';
const NO_TOOLS =
  'absent: agents cannot call tools. Call one in a `handler`, or pass its result to the cast as a user message';
/** Above it, servers with grammars refuse the schema. */
const MAX_TEXT_CHARS = 2_000;

const SUBSCRIPTION = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: value } : value),
  strictMapping({
    kind: KIND_FIELD,
    when: z
      .record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean(), z.null()], 'a string, a number, true, false or null'),
        'a mapping of fields to values',
      )
      .optional(),
  }),
);

const KEYS = strictMapping({
  name: NAME_FIELD,
  role: z.enum(AGENT_ROLES, `one of ${AGENT_ROLES.join(', ')}`).default(MANIFEST_DEFAULTS.role),
  persona: TEXT,
  handler: TEXT.optional(),
  subscribes_to: z.array(SUBSCRIPTION, LIST).default([]),
  may_emit: z.array(KIND_FIELD, 'a list of kinds').min(1, 'a list of at least one kind'),
  schedule: strictMapping({
    tick_every: COUNT_OR_ZERO.nullable().default(null),
    max_consecutive: COUNT.default(MANIFEST_DEFAULTS.maxConsecutive),
  }).prefault({}),
  model_profile: z
    .enum(MODEL_PROFILES, `one of ${MODEL_PROFILES.join(', ')}`)
    .default(MANIFEST_DEFAULTS.modelProfile),
  model_endpoint: NAME_FIELD.optional(),
  memory: strictMapping({
    window: COUNT.default(MANIFEST_DEFAULTS.window),
    use_salience: z.boolean('true or false').default(MANIFEST_DEFAULTS.useSalience),
    salience_top_k: COUNT.default(MANIFEST_DEFAULTS.salienceTopK),
    reflection_threshold: COUNT.nullable().default(null),
  }).prefault({}),
  tools: z.array(z.unknown(), NO_TOOLS).max(0, NO_TOOLS).default([]),
  output_extra_fields: z.array(TEXT, 'a list of names').default([]),
  public_fields: z.array(TEXT, 'a list of names').default([]),
  max_text_chars: COUNT.max(MAX_TEXT_CHARS, `at most ${MAX_TEXT_CHARS}`).optional(),
  repeat_guard: z.boolean('true or false').default(true),
});

/** Converts the keys to their TypeScript names. */
function toAgentManifest(fields: z.output<typeof KEYS>): CompleteManifest {
  const { schedule, memory } = fields;
  return {
    name: fields.name,
    role: fields.role,
    persona: fields.persona.trim(),
    ...(fields.handler !== undefined && { handler: fields.handler }),
    subscribesTo: fields.subscribes_to.map(({ kind, when }) => (when === undefined ? kind : { kind, when })),
    mayEmit: fields.may_emit,
    schedule: {
      ...(schedule.tick_every !== null && { tickEvery: schedule.tick_every }),
      maxConsecutive: schedule.max_consecutive,
    },
    modelProfile: fields.model_profile,
    ...(fields.model_endpoint !== undefined && { modelEndpoint: fields.model_endpoint }),
    memory: {
      window: memory.window,
      useSalience: memory.use_salience,
      salienceTopK: memory.salience_top_k,
      ...(memory.reflection_threshold !== null && { reflectionThreshold: memory.reflection_threshold }),
    },
    outputExtraFields: fields.output_extra_fields,
    ...(fields.public_fields.length > 0 && { publicFields: fields.public_fields }),
    ...(fields.max_text_chars !== undefined && { maxTextChars: fields.max_text_chars }),
    ...(!fields.repeat_guard && { repeatGuard: false }),
  };
}

const AGENT: Omit<ManifestForm<CompleteManifest>, 'judge'> = {
  noun: 'an agent',
  schema: KEYS.transform(toAgentManifest),
  fillers: { name: 'unnamed', persona: '-', may_emit: ['agent.spoke'] },
};

/** Parses an agent manifest that can refer to `known` code. */
export function readAgentManifest(text: ManifestText, known: KnownCode): ManifestRead<CompleteManifest> {
  return readManifest(text, { ...AGENT, judge: (sourced) => judgeAgent(sourced, known) });
}
