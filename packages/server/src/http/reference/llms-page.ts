/** Page at `/docs/llms.txt`: the operations as plain text, for agents. */
import { z } from 'zod';

const documentSchema = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        summary: z.string(),
        description: z.string().default(''),
        tags: z.array(z.string()).default([]),
      }),
    ),
  ),
});

/** Renders the page of a document, one operation per line and paragraph. */
export function llmsPage(openApi: object): string {
  const { info, paths } = documentSchema.parse(openApi);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const tags = [...new Set(operations.flatMap(({ tags: [tag = 'Other'] }) => [tag]))];
  const sections = tags.map((tag) => {
    const lines = operations
      .filter(({ tags: [first = 'Other'] }) => first === tag)
      .map(
        ({ method, path, summary, description, operationId }) =>
          `- [${method.toUpperCase()} ${path}](../docs#${operationId}): ${summary}. ${description}`,
      );
    return `## ${tag}\n${lines.join('\n')}`;
  });
  return `# ${info.title} API

> ${info.description}

Send \`Authorization: Bearer TOKEN\`. All schemas and examples: [openapi.json](../openapi.json).

${sections.join('\n\n')}
`;
}
