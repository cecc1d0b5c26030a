/** Failure line: the place, the rule, what the model gave, and the number of attempts of a request that failed. */
import type { ReactNode } from 'react';
import type { ListedChatView } from '@truecast/client/internal/wire/chat';
import { CodeText } from '../parts/code/text-panel.tsx';
import { plural } from '../parts/format.ts';
import { lowerFirst } from './describe-attempt.ts';

interface FailureProps {
  readonly issue: ListedChatView['first_issue'];
  /** Shown without an issue, as after an error of the model's service. */
  readonly message: string | undefined;
  readonly attempts: number;
}

/** Renders the line. Its middle may be cut, the number of attempts never. */
export function FailureLine({ issue, message = 'Failed.', attempts }: FailureProps): ReactNode {
  return (
    <span data-failure="" className="flex min-w-0 text-sm text-bad">
      <span className="min-w-0 truncate">
        {issue === undefined ? <CodeText text={message} /> : <Issue {...issue} />}
      </span>
      {attempts > 0 && <span className="shrink-0 whitespace-pre"> · {plural(attempts, 'attempt')}</span>}
    </span>
  );
}

function Issue({ path, message, got }: NonNullable<FailureProps['issue']>): ReactNode {
  return (
    <>
      {path !== '' && <code className="text-sm">{path} </code>}
      <CodeText text={lowerFirst(message)} />
      {got !== undefined && (
        <>
          , got <code className="text-sm">{got}</code>
        </>
      )}
    </>
  );
}
