import { describe, expect, test } from 'vitest';
import type { LookupRequest } from '../../src/lightning/connector.ts';
import { instead, type LnurlBehaviour } from '../support/lnurl-server.ts';
import { faultOf, signal, useLnurlWallet } from '../support/lnurl-wallet.ts';

const wallet = useLnurlWallet();

async function create(): Promise<LookupRequest> {
  const request = { ref: 'r', amountMsat: 21_000n, description: '', expirySeconds: 900 };
  return { ...(await wallet.connector.createInvoice(request, signal)), ref: request.ref };
}

const look = (request: LookupRequest) => wallet.connector.lookupInvoice(request, signal);

function verifyWith(verify: NonNullable<LnurlBehaviour['verify']>): void {
  wallet.server.behaviour = { verify };
}

describe('asking whether an invoice was paid (LUD-21)', () => {
  test('goes from pending over a bare word to a proof (case C018)', async () => {
    const request = await create();
    for (let i = 0; i < 10; i++) expect(await look(request)).toEqual({ state: 'pending' });
    wallet.server.settle(request.paymentHash);
    verifyWith((answer) => ({ ...answer, preimage: null }));
    const word = { state: 'settled', receivedMsat: undefined, preimage: undefined, settledAt: undefined };
    expect(await look(request)).toEqual(word);
    verifyWith((answer) => answer);
    expect(await look(request)).toEqual({ ...word, preimage: wallet.server.lastInvoice.preimage });
  });

  test('drops a preimage that proves nothing (case C018)', async () => {
    const request = await create();
    wallet.server.settle(request.paymentHash);
    for (const preimage of ['00'.repeat(32), 'zz'.repeat(32), '', 7, {}, wallet.server.lastInvoice.preimage.slice(2)]) {
      verifyWith((answer) => ({ ...answer, preimage }));
      expect(await look(request)).toMatchObject({ state: 'settled', preimage: undefined });
    }
    verifyWith((answer) => ({ ...answer, preimage: String(answer.preimage).toUpperCase() }));
    expect(await look(request)).toMatchObject({ preimage: wallet.server.lastInvoice.preimage });
  });

  test('takes nothing but settled: true for settlement (case C020)', async () => {
    const request = await create();
    const { preimage } = wallet.server.lastInvoice;
    verifyWith((answer) => ({ ...answer, preimage, settle_date: 0, settled_at: '', paid: true, state: 'SETTLED' }));
    expect(await look(request)).toEqual({ state: 'pending' });
    for (const settled of ['true', 1, 'settled', {}, null, undefined]) {
      verifyWith((answer) => ({ ...answer, preimage, settled }));
      expect(await look(request)).toEqual({ state: 'unknown' });
    }
  });

  test('keeps to its own words when the wallet has others (case C023)', async () => {
    const request = await create();
    for (const answer of [
      { status: 'OK', state: 'expired' },
      { state: 'failed' },
      {},
      { status: 'weird', settled: 'x' },
    ]) {
      verifyWith(() => answer);
      expect(await look(request)).toEqual({ state: 'unknown' });
    }
  });

  test('refuses an answer for another invoice', async () => {
    const other = await create();
    const request = await create();
    wallet.server.settle(other.paymentHash);
    verifyWith((answer) => ({ ...answer, settled: true, pr: other.bolt11 }));
    expect(await faultOf(look(request))).toMatchObject({ kind: 'protocol', message: expect.stringMatching(/another/) });
    verifyWith((answer) => ({ ...answer, pr: 'nonsense' }));
    expect((await faultOf(look(request))).kind).toBe('protocol');
  });

  test('recognises its invoice in any spelling, and bears with one that is not named', async () => {
    const request = await create();
    wallet.server.settle(request.paymentHash);
    verifyWith((answer) => ({ ...answer, pr: `lightning:${request.bolt11.toUpperCase()}` }));
    expect(await look(request)).toMatchObject({ state: 'settled' });
    verifyWith(({ pr: _, ...answer }) => answer);
    expect(await look(request)).toMatchObject({ state: 'settled' });
  });

  test('reads "expired" and "not found" as states and any other error as a fault', async () => {
    const request = await create();
    const answers = [
      ['Invoice expired.', 'expired'],
      ['Not found', 'unknown'],
      ['invoice not  found', 'unknown'],
    ] as const;
    for (const [reason, state] of answers) {
      for (const status of [200, 404]) {
        wallet.server.behaviour = { instead: { verify: instead.error(reason, status) } };
        expect(await look(request)).toEqual({ state });
      }
    }
    wallet.server.behaviour = { instead: { verify: instead.error('database on fire') } };
    expect((await faultOf(look(request))).kind).toBe('refused');
  });

  test('fails cleanly for everything else', async () => {
    const request = await create();
    const answers = [
      [instead.html(404), 'protocol'],
      [instead.html(502), 'unreachable'],
      [instead.redirect('http://localhost/'), 'protocol'],
      [instead.huge(), 'protocol'],
      [instead.drop(), 'unreachable'],
    ] as const;
    for (const [verify, kind] of answers) {
      wallet.server.behaviour = { instead: { verify } };
      expect((await faultOf(look(request))).kind).toBe(kind);
    }
  });

  test('knows nothing without a verify URL', async () => {
    wallet.server.behaviour = { callback: ({ pr }) => ({ pr }) };
    expect(await look(await create())).toEqual({ state: 'unknown' });
  });
});

describe('probing', () => {
  const probe = () => wallet.connector.probe(signal);

  test('finds limits in whole sats and a working verify', async () => {
    wallet.server.behaviour = { payRequest: (answer) => ({ ...answer, minSendable: 1500, maxSendable: 99_999_999 }) };
    expect(await probe()).toEqual({
      settlementVisibility: 'proof',
      minSats: 2,
      maxSats: 99_999,
      canSpend: false,
      notes: [],
    });
    expect(wallet.server.requests[1]).toBe('/callback?amount=2000');
    expect(wallet.server.requests[2]).toMatch(/^\/verify\//);
  });

  test('reports a wallet that does not tell, and one whose verify does not work', async () => {
    wallet.server.behaviour = { callback: (answer) => ({ ...answer, verify: undefined }) };
    expect(await probe()).toMatchObject({ settlementVisibility: 'none', notes: [expect.stringMatching(/LUD-21/)] });
    wallet.server.behaviour = { callback: (answer) => ({ ...answer, verify: '/verify/1' }) };
    expect(await probe()).toMatchObject({ settlementVisibility: 'none' });
    for (const verify of [instead.html(404), instead.error('Not found'), instead.error('no'), instead.json({})]) {
      wallet.server.behaviour = { instead: { verify } };
      expect(await probe()).toMatchObject({ settlementVisibility: 'none', notes: [expect.stringMatching(/usable/)] });
    }
  });

  test('does not believe a wallet that calls an unpaid invoice settled', async () => {
    verifyWith((answer) => ({ ...answer, settled: true }));
    expect(await probe()).toMatchObject({
      settlementVisibility: 'none',
      notes: [expect.stringMatching(/nobody paid/)],
    });
  });

  test('does not judge a wallet by a passing failure', async () => {
    wallet.server.behaviour = { instead: { verify: instead.html(503) } };
    expect((await faultOf(probe())).kind).toBe('unreachable');
  });

  test('notes a description hash that is missing or wrong', async () => {
    wallet.server.behaviour = { commitment: 'missing' };
    expect(await probe()).toMatchObject({ settlementVisibility: 'proof', notes: [expect.stringMatching(/hash/)] });
    wallet.server.behaviour = { commitment: 'other' };
    expect((await probe()).notes).toEqual([expect.stringMatching(/another description/)]);
  });

  test('refreshes limits each time', async () => {
    await probe();
    wallet.server.behaviour = { payRequest: (answer) => ({ ...answer, maxSendable: 50_000 }) };
    expect((await probe()).maxSats).toBe(50);
  });

  test('refuses a wallet that takes no whole sat', async () => {
    wallet.server.behaviour = { payRequest: (answer) => ({ ...answer, minSendable: 1001, maxSendable: 1999 }) };
    expect((await faultOf(probe())).kind).toBe('protocol');
  });
});
