import type { Daytona, Sandbox as DaytonaSandbox } from '@daytona/sdk';
import { Sandbox } from '@vercel/sandbox';
import { expectTypeOf, test } from 'vitest';
import type { DaytonaClient, DaytonaMachine } from './daytona-sdk.ts';
import type { VercelMachine, VercelSdk } from './vercel-sdk.ts';

test('the SDKs offer what the doubles stand for', () => {
  expectTypeOf<Sandbox>().toExtend<VercelMachine>();
  expectTypeOf({ Sandbox }).toExtend<VercelSdk>();
  expectTypeOf<DaytonaSandbox>().toExtend<DaytonaMachine>();
  expectTypeOf<Daytona>().toExtend<DaytonaClient<DaytonaSandbox>>();
});
