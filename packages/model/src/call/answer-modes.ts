/** Modes by which an ensemble can request an answer, as `models.yaml` names them. */
import type { AnswerMode } from '@truecast/core/internal/output/definition/provenance';

export type AskedMode = Extract<AnswerMode, 'native' | 'tool' | 'json'>;

/** The modes, best first. */
export const ANSWER_MODES: readonly ['native', 'tool', 'json'] = ['native', 'tool', 'json'];
