import { expect, test } from 'vitest';
import { withLimit } from '../../src/wallets/limit.ts';

const hang = () => new Promise<never>(() => {});
const faultOf = (outer: AbortSignal) =>
  withLimit(20, outer, hang).catch(({ name, kind, message }) => ({ name, kind, message }));
const unreachable = { name: 'WalletFault', kind: 'unreachable' };

test('a call whose time is up says so, and that it was given up only when somebody gave it up', async () => {
  const never = new AbortController().signal;
  const late = { ...unreachable, message: 'The wallet did not answer within 1 s.' };
  expect(await faultOf(never)).toEqual(late);
  const givenUp = { ...unreachable, message: 'The call to the wallet was given up.' };
  expect(await faultOf(AbortSignal.abort())).toEqual(givenUp);
  const leaving = new AbortController();
  const asked = faultOf(leaving.signal);
  leaving.abort();
  expect(await asked).toEqual(givenUp);
});
