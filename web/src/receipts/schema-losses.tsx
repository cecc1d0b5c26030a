/** Losses of a receipt's schema at each provider, with the model of the receipt first. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ProviderReport } from '../schema/provider-report.tsx';
import { useSchemaReport } from '../schema/schema-report.ts';
import { useModels } from '../session/use-models.ts';
import { useSession } from '../session/session.tsx';

interface LossesProps {
  readonly chatId: string;
  readonly name: string;
  readonly schemaText: string;
  /** Model of the receipt, as its provider names it. */
  readonly model: string | undefined;
}

/** Renders the report of the schema. It is created by the same code as on the server. */
export function SchemaLosses({ chatId, name, schemaText, model }: LossesProps): ReactNode {
  const { client } = useSession();
  const report = useSchemaReport(name, schemaText, true);
  const models = useModels() ?? [];
  const chat = useQuery({
    queryKey: ['chat', chatId],
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  const used = models.find(({ id }) => id === (model ?? chat.data?.model));
  return (
    <ProviderReport
      dialects={report?.dialects ?? []}
      selected={used?.dialect}
      selectedWord="model of this receipt"
    />
  );
}
