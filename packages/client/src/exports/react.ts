/** Exports of `@truecast/client/react`: typed answers and chats in React. */
'use client';

export { AnswerCard } from '../react/answer-card.ts';
export type { FoldedChat } from '../state/folded-chat.ts';
export { useAnswer } from '../react/use-answer.ts';
export type { UseAnswerOptions, UseAnswerResult } from '../react/use-answer.ts';
export { useChatEvents } from '../react/use-chat-events.ts';
export type { FollowedChat } from '../react/use-chat-events.ts';
export { ValuePanel } from '../react/value-panel.ts';
export type { ValuePanelProps } from '../react/value-panel.ts';
