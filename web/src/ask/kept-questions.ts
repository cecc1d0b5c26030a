/** Library of questions with their schemas, kept in this browser for each owner, the latest first. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { asRecord } from '../json/describe-schema.ts';
import type { Question } from '../question/question.ts';

/** A kept question. Its title is unique. */
export interface KeptQuestion extends Question {
  readonly title: string;
}

/** The storage of a browser has a few megabytes for all pages of the server. */
export const MAX_KEPT = 100;

type Place = Pick<Storage, 'getItem' | 'setItem'>;

/** Returns the questions. What another version or another page stored there is left out. */
export function readKept(owner: string, place: Place = localStorage): readonly KeptQuestion[] {
  const kept = jsonValueOf(place.getItem(keyOf(owner)) ?? '[]');
  return Array.isArray(kept) ? kept.flatMap((each: unknown) => toKept(each) ?? []) : [];
}

/** Puts a question first, instead of the one with its title. Returns the questions. */
export function keep(
  question: KeptQuestion,
  owner: string,
  place: Place = localStorage,
): readonly KeptQuestion[] {
  const others = readKept(owner, place).filter(({ title }) => title !== question.title);
  return write([question, ...others].slice(0, MAX_KEPT), owner, place);
}

/** Deletes the question with a title. Returns the others. */
export function dropKept(title: string, owner: string, place: Place = localStorage): readonly KeptQuestion[] {
  const others = readKept(owner, place).filter((each) => each.title !== title);
  return write(others, owner, place);
}

/** @throws DOMException if the storage is full or turned off */
function write(questions: readonly KeptQuestion[], owner: string, place: Place): readonly KeptQuestion[] {
  place.setItem(keyOf(owner), JSON.stringify(questions));
  return questions;
}

function keyOf(owner: string): string {
  return `truecast-kept-questions ${owner}`;
}

function toKept(value: unknown): KeptQuestion | undefined {
  const { title, message, name, schemaText } = asRecord(value) ?? {};
  const isWhole = [title, message, name, schemaText].every((text) => typeof text === 'string');
  return isWhole ? ({ title, message, name, schemaText } as KeptQuestion) : undefined;
}
