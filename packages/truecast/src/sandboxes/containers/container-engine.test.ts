import { expect, it } from 'vitest';
import { assertReachable } from './container-engine.ts';

it('keeps the question of an engine as the end of its sentence', () => {
  const stderr = 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?\n';
  expect(() => assertReachable('docker', stderr)).toThrow('Is the docker daemon running? Start it');
  expect(() => assertReachable('docker', stderr.replace('?', '.'))).toThrow('daemon running. Start it');
});
