/** Examples as cards. A press puts the question and its schema into the form. */
import type { ReactNode } from 'react';
import { describeType, membersOf, parseSchema } from '../json/describe-schema.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { EXAMPLES, type Example } from './examples.ts';
import type { Question } from './question.ts';

interface CardsProps {
  readonly question: Question;
  readonly onChoose: (question: Question) => void;
}

export function ExampleCards({ question, onChoose }: CardsProps): ReactNode {
  return (
    <section aria-label="Examples">
      <h2 className="mb-3 font-semibold">Examples</h2>
      <div className="grid gap-3 @xl:grid-cols-2 @4xl:grid-cols-4">
        {EXAMPLES.map((example) => (
          <Card
            key={example.title}
            example={example}
            isChosen={
              example.question.message === question.message && example.question.name === question.name
            }
            onChoose={() => onChoose(example.question)}
          />
        ))}
      </div>
    </section>
  );
}

const ICONS: Readonly<Record<string, IconName>> = {
  bug: 'bug',
  invoice: 'receipts',
  triage: 'tags',
  lease: 'scan',
};

interface CardProps {
  readonly example: Example;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Card({ example: { title, about, question }, isChosen, onChoose }: CardProps): ReactNode {
  const schema = parseSchema(question.schemaText);
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      className={`panel flex min-w-0 flex-col p-4 text-left hover:shadow-2 ${isChosen ? 'border-accent outline outline-accent' : 'hover:border-edge'}`}
      onClick={onChoose}
    >
      <span className="grid size-8 place-items-center rounded-lg bg-accent-soft text-accent-ink">
        <Icon name={ICONS[question.name] ?? 'braces'} />
      </span>
      <span className="mt-3 font-semibold">{title}</span>
      <span className="text-sm text-muted">{about}</span>
      <span className="mt-auto grid pt-3 text-xs">
        {membersOf(schema).map((member) => (
          <span key={member.name} className="flex justify-between gap-3 border-t border-line py-1">
            <code className="text-xs! text-soft">{member.name}</code>
            <span className="min-w-0 truncate text-muted">
              {shortType(describeType(member.schema, schema))}
            </span>
          </span>
        ))}
      </span>
    </button>
  );
}

/** `"low" or "medium" or "high"` reads as `one of 3`, and `list of object` as `list`. */
function shortType(type: string): string {
  const choices = type.split(' or ').length;
  if (type.startsWith('"')) return `one of ${choices}`;
  return type.replace(/ of .*| ≥ .*/u, '').replace(/^text \(date\)$/u, 'date');
}
