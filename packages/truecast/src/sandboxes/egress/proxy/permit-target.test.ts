import type { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseAllowRules } from '../../../ports/allow-rules.ts';
import { permitTarget } from './permit-target.ts';

/** Checks a target with a resolver that returns these addresses for every name. */
function permit(
  allow: readonly string[],
  host: string,
  port: number,
  ...addresses: readonly string[]
): ReturnType<typeof permitTarget> {
  const resolved = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return permitTarget(parseAllowRules(allow), { host, port }, () => Promise.resolve(resolved));
}

describe('permitTarget', () => {
  it('permits a listed name by its public addresses, and only those', async () => {
    expect(
      await permit(['a.example'], 'a.example', 443, '10.0.0.1', '93.184.216.34', '2606:2800::1'),
    ).toEqual({
      type: 'permit',
      addresses: [
        { address: '93.184.216.34', family: 4 },
        { address: '2606:2800::1', family: 6 },
      ],
    });
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '::127.0.0.1',
  ])('refuses a listed name that resolves to %s', async (address) => {
    expect(await permit(['a.example'], 'a.example', 443, address)).toMatchObject({
      type: 'refuse',
      isPolicy: true,
      message: expect.stringContaining('not on the public internet') as unknown,
    });
  });

  it.each(['64:ff9b::5db8:d822', '::ffff:93.184.216.34'])(
    'takes %s for the public IPv4 address in it',
    async (address) => {
      expect(await permit(['a.example'], 'a.example', 443, address)).toMatchObject({ type: 'permit' });
    },
  );

  it('permits such an address where it is listed too, on the listed port', async () => {
    expect(await permit(['db.example:5432', '10.0.0.1:5432'], 'db.example', 5432, '10.0.0.1')).toMatchObject({
      type: 'permit',
    });
    expect(await permit(['db.example:5432', '10.0.0.1:22'], 'db.example', 5432, '10.0.0.1')).toMatchObject({
      type: 'refuse',
    });
    expect(
      await permit(['dev.example:8080', 'localhost:8080'], 'dev.example', 8080, '127.0.0.1'),
    ).toMatchObject({ type: 'permit' });
    expect(
      await permit(['dev.example:8080', 'localhost:8080'], 'dev.example', 8080, '10.0.0.1'),
    ).toMatchObject({ type: 'refuse' });
  });

  it('takes no address that is not listed itself, though a name is', async () => {
    expect(await permit(['*.example'], '93.184.216.34', 443)).toMatchObject({
      type: 'refuse',
      isPolicy: true,
    });
    expect(await permit(['93.184.216.34'], '93.184.216.34', 443)).toMatchObject({ type: 'permit' });
  });

  it('resolves no name that is not listed', async () => {
    const rules = parseAllowRules(['a.example']);
    const asked: string[] = [];
    await permitTarget(rules, { host: 'secret-data.evil.test', port: 443 }, (host) => {
      asked.push(host);
      return Promise.resolve([]);
    });
    expect(asked).toEqual([]);
  });

  it('distinguishes an unresolvable name from a refused one', async () => {
    const rules = parseAllowRules(['a.example']);
    const permission = await permitTarget(rules, { host: 'a.example', port: 443 }, () =>
      Promise.reject(new Error('ENOTFOUND')),
    );
    expect(permission).toMatchObject({ type: 'refuse', isPolicy: false });
  });

  it("refuses this machine's own addresses, also those on the public internet, unless they are listed", async () => {
    const interfaces = {
      eth0: [
        { address: '93.184.216.34', family: 'IPv4' },
        { address: '2606:2800::1', family: 'IPv6' },
        { address: 'fe80::1%eth0', family: 'IPv6' },
      ],
    } as unknown as ReturnType<typeof networkInterfaces>;
    const decide = (allow: readonly string[], address: string): ReturnType<typeof permitTarget> =>
      permitTarget(
        parseAllowRules(allow),
        { host: 'a.example', port: 443 },
        () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]),
        interfaces,
      );
    for (const own of ['93.184.216.34', '2606:2800::1', '2606:2800:0::1', '::ffff:93.184.216.34']) {
      expect(await decide(['a.example'], own), own).toMatchObject({ type: 'refuse', isPolicy: true });
    }
    expect(await decide(['a.example'], '93.184.216.35')).toMatchObject({ type: 'permit' });
    expect(await decide(['a.example', '93.184.216.34'], '93.184.216.34')).toMatchObject({ type: 'permit' });
  });
});
