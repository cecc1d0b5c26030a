/** Page at `/docs`: the OpenAPI document as a self-contained page. */
import { z } from 'zod';
import { PROBLEM_STATUS } from '../../contract/wire/problem-wire.ts';

const operation = z.object({
  operationId: z.string().optional(),
  summary: z.string().optional(),
  parameters: z
    .array(
      z.object({ in: z.string(), name: z.string(), description: z.string().optional(), schema: z.unknown() }),
    )
    .optional(),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()).optional(),
});
const documentSchema = z.object({
  info: z.object({ title: z.string(), description: z.string().optional() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()).optional() }).optional(),
});

type Operation = z.infer<typeof operation>;

const STYLE = `:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid var(--line);border-radius:6px}
section,details{border-top:1px solid var(--line);padding:.6rem 0}h3{margin:.2rem 0}b.method{display:inline-block;min-width:4.5rem}
table{border-collapse:collapse}td,th{text-align:left;padding:.15rem 1rem .15rem 0}a{color:inherit}`;

/** Renders the page of a document. */
export function docsPage(openApi: object): string {
  const { info, paths, components } = documentSchema.parse(openApi);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationSection(method, path, described)),
  );
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${json(schema)}</details>`,
  );
  const codes = Object.entries(PROBLEM_STATUS).map(
    ([code, status]) => `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(info.title)} API</h1><p>${escapeHtml(info.description ?? '')}</p>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code>. The same as <a href="openapi.json">openapi.json</a>.</p>
<h2>Operations</h2>${operations.join('\n')}
<h2>Problems</h2><table><tr><th>code</th><th>status</th></tr>${codes.join('')}</table>
<h2>Schemas</h2>${schemas.join('\n')}
</body></html>`;
}

function operationSection(method: string, path: string, described: Operation): string {
  const parameters = (described.parameters ?? []).map(
    ({ in: place, name, schema, description = '' }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(place)}</td><td><code>${escapeHtml(JSON.stringify(schema))}</code></td><td>${escapeHtml(description)}</td></tr>`,
  );
  const body = described.requestBody === undefined ? '' : `<p>Body</p>${json(described.requestBody)}`;
  return `<section id="${escapeHtml(described.operationId ?? path)}"><h3><b class="method">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(described.summary ?? '')}</p>${parameters.length > 0 ? `<table>${parameters.join('')}</table>` : ''}${body}<details><summary>Answers</summary>${json(described.responses)}</details></section>`;
}

/** A reference becomes a link to its schema on the page. */
function json(value: unknown): string {
  const text = escapeHtml(JSON.stringify(value, undefined, 2));
  return `<pre>${text.replaceAll(/#\/components\/schemas\/(\w+)/gu, '<a href="#schema-$1">$&</a>')}</pre>`;
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replaceAll(/[&<>"]/gu, (character) => entities[character] ?? character);
}
