/** Further settings of a question: limits, plan mode, files, and tools that the client runs. */
import { useState, type ReactNode } from 'react';
import type { AskForm } from './use-ask-form.ts';
import { FileInput } from './file-input.tsx';
import { FormInput } from './form-input.tsx';

type SettingsProps = Pick<AskForm, 'draft' | 'change' | 'files' | 'attach' | 'problems'>;

const TOOL_EXAMPLE = '[{"name": "look", "input_schema": {"type": "object"}}]';

/** Renders the settings. They are open if the draft already contains some. */
export function AskSettings(props: SettingsProps): ReactNode {
  const { maxRepairs, deadline, plan, tools } = props.draft;
  const [wasLimited] = useState(maxRepairs + deadline !== '');
  const [hadMore] = useState(plan + tools !== '');
  return (
    <div className="mt-4 divide-y divide-line rounded-sm border border-line">
      <details open={wasLimited}>
        <summary className="px-3 py-2 font-medium">
          Limits <span className="font-normal text-muted">attempts, deadline</span>
        </summary>
        <Limits {...props} />
      </details>
      <details open={hadMore}>
        <summary className="px-3 py-2 font-medium">
          More <span className="font-normal text-muted">plan mode, files, tools</span>
        </summary>
        <More {...props} />
      </details>
    </div>
  );
}

function Limits({ draft: { maxRepairs, deadline, plan }, change, problems }: SettingsProps): ReactNode {
  return (
    <div className="grid gap-3 px-3 pt-1 pb-4 @2xl:grid-cols-2">
      <FormInput
        id="max-repairs"
        label="Refused answers, at most"
        placeholder="5"
        value={maxRepairs}
        problem={problems.maxRepairs}
        onChange={(value) => change({ maxRepairs: value })}
      />
      <FormInput
        id="deadline"
        label="Seconds until it fails"
        placeholder="No deadline"
        value={deadline}
        problem={problems.deadline}
        onChange={(value) => change({ deadline: value })}
      />
      {plan !== '' && maxRepairs + deadline !== '' && (
        <p className="text-sm text-warn @2xl:col-span-2">Limits are for typed answers. A plan has none.</p>
      )}
    </div>
  );
}

function More({ draft: { plan, tools }, change, files, attach, problems }: SettingsProps): ReactNode {
  const isPlan = plan !== '';
  return (
    <div className="space-y-4 px-3 pt-1 pb-4">
      <div>
        <label className="flex min-h-8 items-center gap-2 @max-2xl:min-h-11">
          <input
            type="checkbox"
            checked={isPlan}
            onChange={({ target }) => change({ plan: target.checked ? 'yes' : '' })}
          />
          End with a plan
        </label>
        {isPlan && (
          <p className="text-sm text-warn">
            The server refuses plan mode together with a schema. The schema is not sent.
          </p>
        )}
      </div>
      <FileInput files={files} problem={problems.files} onChange={attach} />
      <FormInput
        id="tools"
        label="Tools that you run by hand"
        placeholder={TOOL_EXAMPLE}
        rows={3}
        isCode
        value={tools}
        problem={problems.tools}
        onChange={(value) => change({ tools: value })}
      />
    </div>
  );
}
