/** Failure line: the place, the rule, what the model gave, and the number of attempts of a request that failed. */
import type { ReactNode } from 'react';
import type { ListedChatView } from '@truecast/client/internal/wire/chat';
import { lowerFirst, placedIssue } from '@truecast/core/internal/output/validate/describe-refusal';
import { CodeText } from '../parts/code/text-panel.tsx';
import { plural } from '../parts/format.ts';

interface FailureProps {
  readonly issue: ListedChatView['first_issue'];
  /** Shown without an issue, as after an error of the model's service. */
  readonly message: string | undefined;
  readonly attempts: number;
  /** True to break the line, instead of cutting its middle. @default false */
  readonly isWhole?: boolean;
}

/** Renders the line. Its middle may be cut, the number of attempts never. */
export function FailureLine(props: FailureProps): ReactNode {
  const { issue, message = 'Failed.', attempts, isWhole = false } = props;
  return (
    <span
      data-failure=""
      className={`text-sm text-bad ${isWhole ? 'break-words' : 'flex min-w-0 flex-wrap @2xl:flex-nowrap'}`}
    >
      <span className={isWhole ? '' : 'min-w-0 break-words @2xl:truncate'}>
        {issue === undefined ? <CodeText text={message} /> : <Issue {...issue} />}
      </span>
      {attempts > 0 && (
        <span className="shrink-0 whitespace-pre text-muted"> · {plural(attempts, 'attempt')}</span>
      )}
    </span>
  );
}

function Issue({ message, ...issue }: NonNullable<FailureProps['issue']>): ReactNode {
  const { path, rule, got } = placedIssue({ ...issue, rule: message });
  return (
    <>
      {path !== '' && <code className="font-medium">{path} </code>}
      <CodeText text={lowerFirst(rule)} />
      {got !== undefined && (
        <>
          , got <code>{got}</code>
        </>
      )}
    </>
  );
}
