import type { Command } from 'commander';
import { SpendRisk, saveWallet, tryWallet, UnseenSettlement, type WalletRequest } from '../flows/connect-wallet.ts';
import type { Parts } from '../flows/parts.ts';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import { WalletFault } from '../lightning/connector.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure, sentenceOf } from './failure.ts';
import { readId, readName, readSats } from './option-values.ts';
import { walletFacts, walletJson } from './wallet-text.ts';

interface Options {
  merchant?: string;
  live?: true;
  name?: string;
  maxPaymentSats?: number;
  key?: string;
  takesPreimages?: true;
  saveAnyway?: true;
  acceptSpendRisk?: true;
}

export function addAddWallet(group: Command): void {
  addCommand(
    group,
    'add',
    'Connect a wallet, after asking it for an invoice: paste its address or connection string',
    'wallet add --live shop@wallet.example',
    'wallet add --merchant ID --live shop@wallet.example --name "Till" --max-payment-sats 500000',
    'wallet add --live - < connection.txt',
    'wallet add --live https://btcpay.example/stores/STORE --key -',
  )
    .argument(
      '<connection>',
      'lightning address, nostr+walletconnect, lndconnect, clnrest, phoenixd, LNbits, BTCPay or Blink; - reads it from the input',
    )
    .option('--key <secret>', 'for an address that holds none: invoice key, API key, rune; - reads it from the input')
    .option('--merchant <id>', 'whose wallet; may be left out when there is one merchant', readId)
    .option('--live', 'for real payments; without it the wallet is one of a test network')
    .option('--name <name>', 'what to call it; the address without it', readName)
    .option('--max-payment-sats <n>', 'largest payment to send to it', readSats)
    .option('--takes-preimages', 'let payers show the preimage where the wallet cannot tell that it was paid')
    .option('--save-anyway', 'save it even if nobody can tell when it was paid; it takes no payments then')
    .option('--accept-spend-risk', 'save a credential that could spend from the wallet')
    .action(
      withParts<Options>(async ({ parts, progress, signal }, options, given) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const scope = { merchantId: merchant.id, livemode: options.live === true };
        const connection = given === '-' ? await readInput() : given;
        const key = options.key === '-' ? await readInput() : options.key;
        progress.show('Asking the wallet for an invoice');
        const request = {
          name: options.name,
          connection,
          key,
          acceptSpendRisk: options.acceptSpendRisk,
          maxPaymentSats: options.maxPaymentSats,
          saveUnseen: options.saveAnyway,
          takesPreimages: options.takesPreimages,
        };
        const { wallet, probe } = await connect(parts, scope, request, signal).catch((error: unknown) => {
          throw withAdvice(error, scope.livemode);
        });
        const warning = probe.canSpend
          ? '\n\nWhat was saved could spend from this wallet; a receive-only one is safer.'
          : '';
        const text = `${wallet.name} is connected, for ${merchant.name}:\n\n${walletFacts(wallet)}${warning}`;
        return { json: walletJson(wallet), text };
      }),
    );
}

async function connect(parts: Parts, scope: Scope, request: WalletRequest, signal: AbortSignal) {
  const tried = await tryWallet(parts, scope, request, signal);
  const wallet = await parts.db.transaction(async (tx) => {
    const saved = await saveWallet(tx, parts, scope, tried);
    await recordOperatorAudit(tx, {
      ...scope,
      action: 'create_wallet',
      subjectId: saved.id,
      now: parts.clock.now(),
    });
    return saved;
  });
  return { wallet, probe: tried.probe };
}

/** What is typed or piped in, so that a secret need not stand in the list of processes. */
async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0]!.trim();
}

/** The flow's sentence, and what can be done about it at this terminal. */
function withAdvice(error: unknown, livemode: boolean): unknown {
  const sentence = sentenceOf(error)?.replace(/\.$/, '');
  if (sentence === undefined) return error;
  const say = (advice: string) => new CliFailure(`${sentence}. ${advice}`, { cause: error });
  if (error instanceof UnseenSettlement) {
    return say(
      'Use a wallet that supports LUD-21, let payers show the preimage with --takes-preimages, or save it for later with --save-anyway.',
    );
  }
  if (error instanceof SpendRisk) return say('With --accept-spend-risk it is saved as it is.');
  if (!(error instanceof AppError)) return error;
  if (error.code === 'wallet_unavailable') return say('Check the connection, or try again later.');
  if (error.code === 'conflict') return say('"satline wallet list" shows it, "satline wallet enable" turns it on.');
  const fault = error.cause instanceof WalletFault ? error.cause.kind : undefined;
  if (fault === 'bad_invoice' && !livemode) return say('A wallet for real payments is added with --live.');
  return fault === undefined ? error : say('Check the connection, or use another wallet.');
}
