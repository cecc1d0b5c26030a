/** Losses of a receipt's schema at each provider, with the provider of the receipt first. */
import type { ReactNode } from 'react';
import type { Receipt } from '@truecast/client';
import { ProviderReport } from '../schema/provider-report.tsx';
import { useSchemaReport } from '../schema/schema-report.ts';
import { useModels } from '../session/use-models.ts';

interface LossesProps {
  readonly name: string;
  readonly schemaText: string;
  readonly receipt: Receipt;
}

/** Renders the report of the schema. It is created by the same code as on the server. */
export function SchemaLosses({ name, schemaText, receipt }: LossesProps): ReactNode {
  const { model, dialect } = receipt;
  const report = useSchemaReport(name, schemaText, true);
  const models = useModels() ?? [];
  return (
    <ProviderReport
      dialects={report?.dialects ?? []}
      // A receipt of an older version has only the name of its model.
      selected={dialect ?? models.find(({ id }) => id === model)?.dialect}
      selectedWord="model of this receipt"
    />
  );
}
