/** Mechanisms by which an ensemble can request an answer, as `models.yaml` names them. */
export const ANSWER_ROUTES = ['native', 'tool', 'json'] as const;

/** One mechanism. */
export type AnswerRouteName = (typeof ANSWER_ROUTES)[number];
