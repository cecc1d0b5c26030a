/** Losses of a receipt's schema at each provider, with the provider of the receipt first. */
import type { ReactNode } from 'react';
import type { Receipt } from '@truecast/client';
import { ProviderReport } from '../schema/provider-report.tsx';
import { useSchemaReport } from '../schema/schema-report.ts';

interface LossesProps {
  readonly name: string;
  readonly schemaText: string;
  readonly receipt: Receipt;
}

/** Renders the report of the schema. It is created by the same code as on the server. */
export function SchemaLosses({ name, schemaText, receipt }: LossesProps): ReactNode {
  const { dialect } = receipt;
  const report = useSchemaReport(name, schemaText, true);
  return (
    <ProviderReport
      dialects={report?.dialects ?? []}
      selected={dialect}
      selectedWord="model of this receipt"
    />
  );
}
