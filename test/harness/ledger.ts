import { expect } from 'vitest';
import { checkLedger } from '../../src/flows/check-ledger.ts';
import type { TestApp } from './app.ts';

/** Fails with the names of the rules that are broken, and by which rows. */
export async function expectLedgerToHold(app: Pick<TestApp, 'parts'>): Promise<void> {
  expect(await checkLedger(app.parts.db)).toEqual([]);
}
