/** Artifacts of a durable run that has ended, each with a download. */
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { send } from '@truecast/client/internal/calls/http-caller';
import type { AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import type { AgentRunArtifact } from '@truecast/client/internal/wire/runs/agent-run-artifact';
import { sizeText } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemBox } from '../../parts/page.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useSession } from '../../session/session.tsx';

/** Renders nothing for a run without artifacts. */
export function RunArtifacts({ run }: { readonly run: AgentRunDetailView }): ReactNode {
  const { connection } = useSession();
  const { id, artifacts } = run;
  const path = `/api/runs/${encodeURIComponent(id)}/artifacts`;
  const save = useMutation({
    mutationFn: async ({ name }: AgentRunArtifact) => {
      // A link would send no token.
      const response = await send(connection, { method: 'GET', path: `${path}/${encodeURIComponent(name)}` });
      saveFile(`${id}.${name}`, await response.blob());
    },
  });
  if (artifacts.length === 0) return null;
  return (
    <section aria-label="Artifacts" className="panel overflow-hidden">
      <h2 className="border-b border-line px-4 py-2 text-sm font-semibold">Artifacts</h2>
      <ul className="divide-y divide-line">
        {artifacts.map((artifact) => (
          <li key={artifact.name} className="flex items-center gap-3 py-1 pr-2 pl-4 text-sm">
            <code className="min-w-0 flex-1 break-words">{artifact.name}</code>
            <span className="text-xs text-muted">
              {sizeText(artifact.size)}
              {artifact.omitted_bytes !== undefined && `, its end of ${sizeText(wholeSize(artifact))}`}
            </span>
            <button
              type="button"
              className="button button-quiet shrink-0 px-2 @2xl:min-h-7"
              aria-label={`Download ${artifact.name}`}
              title="Download"
              disabled={save.isPending}
              onClick={() => save.mutate(artifact)}
            >
              <Icon name="save" />
            </button>
          </li>
        ))}
      </ul>
      {save.error !== null && (
        <div className="border-t border-line p-3">
          <ProblemBox error={save.error} />
        </div>
      )}
    </section>
  );
}

function wholeSize({ size, omitted_bytes: omitted = 0 }: AgentRunArtifact): number {
  return size + omitted;
}
